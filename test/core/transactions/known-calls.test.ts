import fc from 'fast-check';
import { type Abi, encodeFunctionData, type Hex, maxUint256, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { callDeadline, describeCall } from '../../../src/core/transactions/describe-call.ts';
import { knownFunctions } from '../../../src/core/transactions/known-functions.ts';
import { rounds } from '../../helpers/rounds.ts';

const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const FRIEND = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const ROUTER = '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D';

function encoded(declared: string, ...args: unknown[]): Hex {
  const text: string[] = [`function ${declared}`];
  const abi: Abi = parseAbi(text);
  return encodeFunctionData({ abi, args });
}

function describedCall(declared: string, to: Hex, ...args: unknown[]) {
  const call = describeCall(encoded(declared, ...args), to);
  if (call === null) throw new Error('no hex');
  return call;
}

const wordsOf = (declared: string, to: Hex, ...args: unknown[]) => describedCall(declared, to, ...args).words;

const SELECTORS = `
0x23b872dd transferFrom(address,address,uint256)
0xd505accf permit(address,address,uint256,uint256,uint8,bytes32,bytes32)
0x42842e0e safeTransferFrom(address,address,uint256)
0xf242432a safeTransferFrom(address,address,uint256,uint256,bytes)
0x2e1a7d4d withdraw(uint256)
0x472b43f3 swapExactTokensForTokens(uint256,uint256,address[],address)
0x414bf389 exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))
0x04e45aaf exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))
0xb858183f exactInput((bytes,address,uint256,uint256))
0xdb3e2198 exactOutputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))
0x12aa3caf swap(address,(address,address,address,address,uint256,uint256,uint256),bytes,bytes)
0x07ed2379 swap(address,(address,address,address,address,uint256,uint256,uint256),bytes)
0x5f575529 swap(string,address,uint256,bytes)
0xef9c8805 register((string,address,uint256,bytes32,address,bytes[],uint8,bytes32))
0x74694a2b register(string,address,uint256,bytes32,address,bytes[],bool,uint16)
0xacf1a841 renew(string,uint256)`;

it('functions have their published selectors', () => {
  for (const [selector = '', signature] of SELECTORS.trim()
    .split('\n')
    .map((line) => line.split(' '))) {
    expect(knownFunctions().get(selector)?.signature).toBe(signature);
  }
});

it('an unknown function is a plain transfer, a contract, a selector, or too short for one', () => {
  expect(describeCall('0x', FRIEND)).toMatchObject({
    name: 'plain transfer',
    words: 'sends its value to 0xd8dA…6045 and calls nothing',
  });
  expect(describeCall('0x60016002', null)).toMatchObject({
    name: 'contract creation',
    words: 'makes a contract from 4 bytes of code',
  });
  expect(describeCall('0xdeadbeef00', TOKEN)).toEqual({
    name: null,
    signature: null,
    selector: '0xdeadbeef',
    args: [],
    words: 'calls 0xdeadbeef of 0xA0b8…eB48, a function that is not known here',
    calls: [],
  });
  expect(describeCall('0xdead', TOKEN)?.words).toBe('sends 2 bytes to 0xA0b8…eB48, too few for a call');
  expect(describeCall('0xde', TOKEN)?.words).toMatch(/^sends 1 byte to /);
  for (const noHex of ['0xdea', 'hello', '0xzz']) expect(describeCall(noHex, TOKEN)).toBeNull();
});

describe('tokens', () => {
  it('are sent', () => {
    const call = describedCall('transfer(address to, uint256 amount)', TOKEN, FRIEND, 1_500_000n);
    expect(call.args).toEqual([
      { name: 'to', type: 'address', value: FRIEND },
      { name: 'amount', type: 'uint256', value: '1500000' },
    ]);
    expect(call.words).toBe('sends 1,500,000 base units of token 0xA0b8…eB48 to 0xd8dA…6045');
  });

  it('are approved', () => {
    const large = 2n ** 255n;
    const calls = [0n, 5_000n, large, maxUint256].map((amount) =>
      describedCall('approve(address spender, uint256 amount)', TOKEN, ROUTER, amount),
    );
    expect(calls.map(({ words }) => words)).toEqual([
      'takes back (revokes) what 0x7a25…488D may spend of token 0xA0b8…eB48 (of an NFT: lets it move number 0)',
      'lets 0x7a25…488D spend 5,000 base units of token 0xA0b8…eB48 (of an NFT: lets it move number 5,000)',
      `lets 0x7a25…488D spend a practically unlimited amount of token 0xA0b8…eB48 (of an NFT: lets it move number ${large.toLocaleString('en')})`,
      'lets 0x7a25…488D spend an unlimited amount of token 0xA0b8…eB48',
    ]);
    const values = calls.map(({ args }) => args[1]?.value);
    expect(values).toEqual(['0', '5000', large.toString(), 'unlimited (2^256 − 1)']);
    const all = (approved: boolean) =>
      wordsOf('setApprovalForAll(address a, bool b)', TOKEN, ROUTER, approved);
    expect([all(true), all(false)]).toEqual([
      'lets 0x7a25…488D move every NFT of 0xA0b8…eB48',
      'takes back (revokes) that 0x7a25…488D may move NFTs of 0xA0b8…eB48',
    ]);
    const permit2 = 'approve(address token, address spender, uint160 amount, uint48 expiration)';
    expect(wordsOf(permit2, ROUTER, TOKEN, FRIEND, 2n ** 160n - 1n, 0)).toBe(
      'lets 0xd8dA…6045 spend an unlimited amount of token 0xA0b8…eB48',
    );
  });
});

describe('swaps', () => {
  it('of a V2 router name both ends of the path', () => {
    const declared = 'swapExactTokensForTokens(uint256 a, uint256 b, address[] c, address d, uint256 e)';
    const call = describedCall(declared, ROUTER, 1_000n, 900n, [TOKEN, FRIEND, WETH], FRIEND, 1n);
    expect(call.words).toBe(
      'swaps 1,000 base units of 0xA0b8…eB48 for at least 900 of 0xC02a…6Cc2, to 0xd8dA…6045 by 1 Jan 1970 00:00 UTC',
    );
    expect(call.args.find(({ name }) => name === 'path')?.value).toBe(`[${TOKEN}, ${FRIEND}, ${WETH}]`);
  });

  it('of a V3 router read the packed path, which goes backwards where the output is exact', () => {
    const tuple = { path: `${TOKEN}000bb8${WETH.slice(2)}`, recipient: FRIEND, a: 7n, b: 8n };
    const fields = '((bytes path, address recipient, uint256 a, uint256 b) params)';
    expect([
      wordsOf(`exactInput${fields}`, ROUTER, tuple),
      wordsOf(`exactOutput${fields}`, ROUTER, tuple),
    ]).toEqual([
      'swaps 7 base units of 0xA0b8…eB48 for at least 8 of 0xC02a…6Cc2, to 0xd8dA…6045',
      'swaps at most 8 base units of 0xC02a…6Cc2 for 7 of 0xA0b8…eB48, to 0xd8dA…6045',
    ]);
  });

  it('of the Universal Router list their steps', () => {
    const declared = 'execute(bytes commands, bytes[] inputs, uint256 deadline)';
    expect(wordsOf(declared, ROUTER, '0x0a800c3f', ['0x', '0x', '0x', '0x'], 1n)).toBe(
      'runs a Uniswap router by 1 Jan 1970 00:00 UTC: Permit2 approval, V3 swap, unwrap, step 0x3f',
    );
  });
});

describe('calls within calls', () => {
  const transfer = encoded('transfer(address to, uint256 amount)', FRIEND, 5n);
  const revoke = encoded('approve(address spender, uint256 amount)', ROUTER, 0n);
  const revokes =
    'takes back (revokes) what 0x7a25…488D may spend of token 0xA0b8…eB48 (of an NFT: lets it move number 0)';

  it('of a multicall go to the same contract and are described one level deep', () => {
    const inner = encoded('multicall(bytes[] data)', [transfer]);
    const declared = 'multicall(uint256 deadline, bytes[] data)';
    const call = describedCall(declared, TOKEN, 1n, [transfer, revoke, inner]);
    expect(call.words).toBe(
      `makes 3 calls by 1 Jan 1970 00:00 UTC: sends 5 base units of token 0xA0b8…eB48 to 0xd8dA…6045; ${revokes}; makes calls`,
    );
    expect(call.calls.map(({ name }) => name)).toEqual(['transfer', 'approve', 'multicall']);
    expect(call.calls[2]?.calls).toEqual([]);
  });

  it('of Multicall3 go where each says', () => {
    const declared = 'aggregate3((address target, bool allowFailure, bytes callData)[] calls)';
    const calls = [
      { target: WETH, allowFailure: true, callData: transfer },
      { target: TOKEN, allowFailure: true, callData: '0x' },
    ];
    expect(wordsOf(declared, ROUTER, calls)).toBe(
      'makes 2 calls: sends 5 base units of token 0xC02a…6Cc2 to 0xd8dA…6045; sends its value to 0xA0b8…eB48 and calls nothing',
    );
  });

  it('of a Safe name the target, and delegate calls', () => {
    const declared =
      'execTransaction(address to, uint256 v, bytes d, uint8 operation, uint256 a, uint256 b, uint256 c, address e, address f, bytes g)';
    const call = (operation: number) =>
      wordsOf(declared, FRIEND, TOKEN, 0n, revoke, operation, 0n, 0n, 0n, WETH, WETH, '0x');
    expect([call(0), call(1)]).toEqual([
      `has Safe 0xd8dA…6045 call 0xA0b8…eB48: ${revokes}`,
      `has Safe 0xd8dA…6045 call 0xA0b8…eB48 with all of its own rights (a delegate call): ${revokes}`,
    ]);
  });

  it('that are many are counted', () => {
    const call = describedCall('multicall(bytes[] data)', TOKEN, Array<Hex>(40).fill(revoke));
    expect(call.calls).toHaveLength(16);
    expect(call.words).toMatch(/^makes 40 calls: .*; 37 more$/);
  });
});

describe('arguments from anybody', () => {
  it.each([
    ['an address with more than 20 bytes', '0xa9059cbb'.concat('ff'.repeat(32), '00'.repeat(32))],
    ['too few bytes', '0xa9059cbb'.concat('00'.repeat(63))],
    ['a truth that is neither yes nor no', '0xa22cb465'.concat('00'.repeat(63), '02')],
    [
      'a name that ends after them',
      `0xacf1a841${'40'.padStart(64, '0')}${'3c'.padStart(64, '0')}${'05'.padStart(64, '0')}616263`,
    ],
    ['an offset beyond the end', '0xac9650d8'.concat('ff'.repeat(32))],
    ['more items than bytes', '0xac9650d8'.concat('00'.repeat(31), '20', '00'.repeat(28), 'ffffffff')],
  ])('%s: the function is named, and that they cannot be read', (_, data) => {
    const call = describeCall(data, TOKEN);
    expect(call?.args).toEqual([]);
    expect(call?.words).toMatch(/^calls \w+ of 0xA0b8…eB48 with arguments that cannot be read$/);
  });

  it('names are fit for a terminal', () => {
    const call = describedCall('renew(string name, uint256 duration)', TOKEN, 'a\u001b[31m\u202eb\nc', 60n);
    expect(call.words).toBe('renews the name “ab c” for 60 seconds');
  });

  it('bytes after the arguments change nothing, and are mentioned', () => {
    const transfer = encoded('transfer(address a, uint256 b)', FRIEND, 1n);
    expect(describeCall(`${transfer}c0ffee`, TOKEN)?.words).toBe(
      'sends 1 base unit of token 0xA0b8…eB48 to 0xd8dA…6045; 3 bytes after that are not a part of it',
    );
    expect(describeCall(`${encoded('deposit()')}00`, TOKEN)?.words).toMatch(
      /; 1 byte after that is not a part of it$/,
    );
    // What fills up a last word is a part of it, and may be left out.
    const renew = encoded('renew(string name, uint256 duration)', 'abc', 60n);
    expect(describeCall(renew, TOKEN)?.words).toMatch(/for 60 seconds$/);
    expect(describeCall(renew.slice(0, -58), TOKEN)?.words).toMatch(/for 60 seconds$/);
  });

  it('a thousand calls that are all the same large bytes are described at once', () => {
    // Each item's offset points at the one that is there: what it says is 4,000 times 128 KB.
    const count = 2_000;
    const word = (value: number) => value.toString(16).padStart(64, '0');
    const offsets = word(count * 32).repeat(count);
    const data = `0xac9650d8${word(32)}${word(count)}${offsets}${word(60_000)}${'ab'.repeat(60_000)}`;
    expect(describeCall(data, TOKEN)?.words).toMatch(/ with arguments that cannot be read$/);
  });

  it('never throw, and always give one line', () => {
    const selectors = [...knownFunctions().keys()];
    const word = fc.oneof(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.nat(512).map((value) => Uint8Array.from([...new Uint8Array(30), value >> 8, value & 255])),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...selectors),
        fc.array(word, { maxLength: 24 }),
        fc.uint8Array({ maxLength: 31 }),
        (selector, words, rest) => {
          const hex = [...words, rest].map((bytes) => Buffer.from(bytes).toString('hex')).join('');
          const call = describeCall(selector + hex, TOKEN);
          expect(call?.selector).toBe(selector);
          expect(call?.words).toMatch(/^[^\p{Cc}]+$/u);
        },
      ),
      { numRuns: rounds(3_000) },
    );
  });
});

const AT = Date.parse('2026-11-21T22:00:00Z');
const SECONDS = BigInt(AT / 1_000);

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
  it.each<[string, Hex, number | null]>([
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
    ['milliseconds', swap(BigInt(AT)), null],
    ['a transfer', encoded('transfer(address a, uint256 b)', FRIEND, SECONDS), null],
    ['no call', '0x', null],
    ['an unknown function', '0xdeadbeef', null],
    ['arguments that cannot be read', swap(SECONDS).slice(0, 40) as Hex, null],
  ])('of %s', (_, data, expected) => {
    expect(callDeadline(data, TOKEN)).toBe(expected);
  });

  it('is said in words, as a time', () => {
    expect(describeCall(swap(SECONDS), TOKEN)?.words).toMatch(/ by 21 Nov 2026 22:00 UTC$/);
    expect(describeCall(swap(maxUint256), TOKEN)?.words).toMatch(/, to 0xd8dA…6045$/);
    expect(describeCall(timed(SECONDS, swap(SECONDS + 60n)), TOKEN)?.words).toMatch(
      /^makes 1 call by 21 Nov 2026 22:00 UTC: swaps .* by 21 Nov 2026 22:01 UTC$/,
    );
  });
});
