import { type Abi, encodeFunctionData, type Hex, maxUint256, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { callDeadline, describeCall } from '../../../src/core/transactions/describe-call.ts';

const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const FRIEND = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const AT = Date.parse('2026-11-21T22:00:00Z');
const SECONDS = BigInt(AT / 1_000);

function encoded(declared: string, ...args: unknown[]): Hex {
  const text: string[] = [`function ${declared}`];
  const abi: Abi = parseAbi(text);
  return encodeFunctionData({ abi, args });
}

const swap = (deadline: bigint) =>
  encoded(
    'swapExactETHForTokens(uint256 a, address[] b, address c, uint256 d)',
    1n,
    [TOKEN],
    FRIEND,
    deadline,
  );
const exactInput = (deadline: bigint) =>
  encoded('exactInput((bytes a, address b, uint256 c, uint256 d, uint256 e) p)', {
    a: '0x',
    b: FRIEND,
    c: deadline,
    d: 1n,
    e: 1n,
  });
const permit2 = (amount: bigint, expiration: bigint) =>
  encoded('approve(address a, address b, uint160 c, uint48 d)', TOKEN, FRIEND, amount, Number(expiration));
const dai = (expiry: bigint) =>
  encoded(
    'permit(address a, address b, uint256 c, uint256 d, bool e, uint8 f, bytes32 g, bytes32 h)',
    ...[FRIEND, FRIEND, 0n, expiry, true, 27, `0x${'11'.repeat(32)}`, `0x${'11'.repeat(32)}`],
  );
const multicall = (...calls: Hex[]) => encoded('multicall(bytes[] a)', calls);
const timed = (deadline: bigint, ...calls: Hex[]) =>
  encoded('multicall(uint256 a, bytes[] b)', deadline, calls);
const lenient = (callData: Hex) =>
  encoded('aggregate3((address target, bool allowFailure, bytes callData)[] c)', [
    { target: TOKEN, allowFailure: true, callData },
  ]);

describe('the deadline of a call', () => {
  it.each<[string, Hex, number | 'far' | null]>([
    ['a swap', swap(SECONDS), AT],
    ['a swap whose arguments are in a tuple', exactInput(SECONDS), AT],
    ['a router', encoded('execute(bytes a, bytes[] b, uint256 c)', '0x', [], SECONDS), AT],
    ['calls together', timed(SECONDS, swap(SECONDS + 60n)), AT],
    ['what is called within', multicall(swap(SECONDS + 60n), exactInput(SECONDS)), AT],
    ['what may fail within', lenient(swap(SECONDS)), null],
    ['an approval', permit2(5n, SECONDS), AT],
    ['an approval for one block', permit2(5n, 0n), null],
    ['a revocation', permit2(0n, 1n), null],
    ['a permit of DAI', dai(SECONDS), AT],
    ['a permit of DAI without an end', dai(0n), null],
    ['0', swap(0n), 0],
    ['the largest number', swap(maxUint256), null],
    ['milliseconds', swap(BigInt(AT)), 'far'],
    ['a transfer', encoded('transfer(address a, uint256 b)', FRIEND, SECONDS), null],
    ['no call', '0x', null],
    ['a function that nobody knows', '0xdeadbeef', null],
    ['arguments that cannot be read', swap(SECONDS).slice(0, 40) as Hex, null],
  ])('of %s', (_, data, expected) => {
    const deadline = callDeadline(data, TOKEN);
    expect(deadline?.kind === 'by' ? deadline.at : (deadline?.kind ?? null)).toBe(expected);
  });

  it('is said in words, as a time', () => {
    expect(describeCall(swap(SECONDS), TOKEN)?.words).toMatch(/ by 21 Nov 2026 22:00 UTC$/);
    expect(describeCall(swap(maxUint256), TOKEN)?.words).toMatch(/, to 0xd8dA6B…6045$/);
    expect(describeCall(swap(BigInt(AT)), TOKEN)?.words).toMatch(
      / \(its deadline is in milliseconds: none\)$/,
    );
    expect(describeCall(timed(SECONDS, swap(SECONDS + 60n)), TOKEN)?.words).toMatch(
      /^makes 1 call by 21 Nov 2026 22:00 UTC: swaps .* by 21 Nov 2026 22:01 UTC$/,
    );
  });
});
