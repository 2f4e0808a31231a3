import { fromRlp, type Hex, keccak256, stringToHex, toRlp } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { recoverAuthorizationAddress } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { describeTransaction } from '../../../src/core/transactions/describe-call.ts';
import { ACCOUNT, FRIEND, refusalOf, signedSamples } from './support/signed-samples.ts';

const OTHER = privateKeyToAccount(keccak256(stringToHex('hands its account over only in tests')));
const NONE = '0x0000000000000000000000000000000000000000';
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

type Signed = Awaited<ReturnType<typeof OTHER.signAuthorization>>;

const authorize = (address: Hex, chainId = 1, nonce = 8) =>
  OTHER.signAuthorization({ address, chainId, nonce });

const signed = (authorizationList: readonly Signed[], data: Hex = '0x') =>
  ACCOUNT.signTransaction({
    type: 'eip7702',
    chainId: 1,
    nonce: 7,
    gas: 1_000_000n,
    to: FRIEND,
    data,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    authorizationList: [...authorizationList],
  });

const decoded = async (authorizationList: readonly Signed[], data?: Hex) =>
  decodeTransaction(await signed(authorizationList, data));

describe('the authorizations of a transaction', () => {
  it('name account, code and chain', async () => {
    const one = await authorize(FRIEND);
    const any = await authorize(NONE, 0, 0);
    const { authorizations, parts } = await decoded([one, any]);
    expect(authorizations).toEqual([
      { chainId: 1, address: FRIEND, nonce: 8, authority: OTHER.address },
      { chainId: 0, address: NONE, nonce: 0, authority: OTHER.address },
    ]);
    expect(await recoverAuthorizationAddress({ authorization: one })).toBe(OTHER.address);
    expect(parts?.authorizations).toBe(2);
  });

  it('are none of other types', async () => {
    const { 'set code': _, ...others } = await signedSamples();
    for (const raw of Object.values(others)) expect(decodeTransaction(raw).authorizations).toEqual([]);
  });

  it('have no authority when their signature is invalid on every chain', async () => {
    const one = await authorize(FRIEND);
    const s = BigInt(one.s);
    const higher = { ...one, s: `0x${(ORDER - s).toString(16)}` as const, yParity: 1 - (one.yParity ?? 0) };
    const unsigned = { ...one, r: '0x0', s: '0x0' } as const;
    const beyond = { ...one, s: `0x${(ORDER + 1n).toString(16)}` as const };
    const { authorizations } = await decoded([higher, unsigned, beyond]);
    expect(authorizations.map(({ authority }) => authority)).toEqual([null, null, null]);
  });

  it('are looked at up to the sixteenth, and all are counted', async () => {
    const { authorizations, parts } = await decoded(Array(20).fill(await authorize(FRIEND)));
    expect(authorizations.map(({ authority }) => authority)).toEqual([
      ...Array(16).fill(OTHER.address),
      ...Array(4).fill(null),
    ]);
    expect(parts?.authorizations).toBe(20);
  });
});

it.each([
  ['27', 1, '0x1b', 'its authorization is 27'],
  ['28 of the second', 2, '0x1c', 'its authorization 2 of 2 is 28'],
  ['2', 1, '0x02', 'its authorization is 2,'],
  ['256', 1, '0x0100', 'its authorization is more than 255'],
] as const)('a y parity of %s names the authorization', async (_, count, parity, words) => {
  const raw = await signed(Array(count).fill(await authorize(FRIEND)));
  const fields = fromRlp(`0x${raw.slice(4)}`, 'hex') as Hex[];
  const list = fields[9] as unknown as readonly Hex[][];
  const changed = list.with(count - 1, (list[count - 1] ?? []).with(3, parity));
  const bad = `0x04${toRlp(fields.with(9, changed as unknown as Hex)).slice(2)}` as Hex;
  expect(refusalOf(bad)).toContain(`the y parity of ${words}`);
  expect(refusalOf(bad)).toContain('sign that authorization again');
});

const account = `${OTHER.address.slice(0, 6)}…${OTHER.address.slice(-4)}`;

it('the description of a transaction names delegations before the call', async () => {
  expect(describeTransaction(await decoded([await authorize(FRIEND)]))).toMatchObject({
    name: 'delegation',
    words: `delegates the account ${account} to the code at 0xd8dA…6045 (on this chain); sends its value to 0xd8dA…6045 and calls nothing`,
  });
  const transfer = `0xa9059cbb${FRIEND.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}` as const;
  const call = describeTransaction(await decoded([await authorize(NONE, 0)], transfer));
  expect(call?.name).toBe('transfer');
  expect(call?.words).toMatch(
    new RegExp(`^revokes the delegation of the account ${account} \\(on every chain\\); `),
  );
});
