import { type Hex, keccak256, toHex } from 'viem';
import { afterAll, expect, it } from 'vitest';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { gasNeeded, RULES } from '../../../src/core/transactions/gas-rules.ts';
import { startAnvil } from '../../helpers/anvil.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { ACCOUNT, FRIEND } from './support/signed-samples.ts';

const CHAIN = 31_337;
const accessList = [
  { address: FRIEND, storageKeys: [keccak256('0x00'), keccak256('0x01')] },
  { address: ACCOUNT.address, storageKeys: [] },
] as const;
/** Code that ends at once, if it begins with a zero. */
const data = (zeros: number, others: number) => `0x${'00'.repeat(zeros)}${'a1'.repeat(others)}` as const;
/** With a nonce that is not next: the chain skips them, so nothing of their gas comes back. */
const skipped = (count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      ACCOUNT.signAuthorization({ address: FRIEND, chainId: CHAIN, nonce: 1_000 }),
    ),
  );

const node = await startAnvil({ chainId: CHAIN, baseFee: 1n, args: ['--hardfork', 'prague'] });
await node.rpc('anvil_setBalance', [ACCOUNT.address, toHex(10n ** 20n)]);
afterAll(() => node.stop());

const fees = { chainId: CHAIN, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n };
const list = 2n * 2_400n + 2n * 1_900n;
interface Fields {
  readonly to?: typeof FRIEND;
  readonly data?: Hex;
  readonly accessList?: typeof accessList;
  readonly authorizations?: number;
}
const cases: readonly (readonly [string, bigint, Fields])[] = [
  ['a transfer', 21_000n, { to: FRIEND }],
  ['data, by its floor', 21_000n + 100n * 10n + 50n * 40n, { to: FRIEND, data: data(100, 50) }],
  ['an access list', 21_000n + list, { to: FRIEND, accessList }],
  ['one with a little data', 21_000n + list + 92n, { to: FRIEND, accessList, data: data(3, 5) }],
  ['a contract', 53_000n + 4n + 32n * 16n + 2n * 2n, { data: data(1, 32) }],
  ['a contract from nothing', 53_000n, {}],
  ['so much code that its floor counts', 21_000n + 10n + 3_000n * 40n, { data: data(1, 3_000) }],
  ['two authorizations', 21_000n + 2n * 25_000n, { to: FRIEND, authorizations: 2 }],
  ['one with data by its floor', 181_000n, { to: FRIEND, data: data(0, 4_000), authorizations: 1 }],
];

it.each(cases.map((each, nonce) => [...each, nonce] as const))(
  'the least gas limit for %s is enough for a node, and all of it is used',
  async (_, gas, { authorizations, ...fields }, nonce) => {
    const signed = { ...fees, ...fields, nonce, gas };
    const raw = await (authorizations === undefined
      ? ACCOUNT.signTransaction({ ...signed, type: 'eip1559' })
      : ACCOUNT.signTransaction({
          ...signed,
          type: 'eip7702',
          authorizationList: await skipped(authorizations),
        }));
    const decoded = decodeTransaction(raw);
    expect(decoded.parts && gasNeeded(decoded.parts, RULES.osaka).min).toBe(Number(gas));
    expect(await node.rpc('eth_sendRawTransaction', [raw])).toBe(decoded.hash);
    const receipt = await waitFor(() => node.rpc('eth_getTransactionReceipt', [decoded.hash]));
    expect(receipt).toMatchObject({
      from: ACCOUNT.address.toLowerCase(),
      status: '0x1',
      gasUsed: toHex(gas),
    });
  },
);
