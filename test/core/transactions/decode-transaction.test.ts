import { type Hex, hexToBytes, keccak256, parseTransaction, recoverTransactionAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import {
  ACCOUNT,
  FRIEND,
  refusalOf,
  signedBlobs,
  signedSamples,
  withoutSidecar,
} from './support/signed-samples.ts';

const samples = await signedSamples();
const of = (raw: Hex) => (raw.startsWith('0x03') ? withoutSidecar(raw) : raw);

describe('transactions signed by viem', () => {
  it.each(Object.entries(samples))('%s has viem’s hash, sender and fields', async (_, raw) => {
    const decoded = decodeTransaction(raw);
    expect(decoded.from).toBe(ACCOUNT.address);
    expect(decoded.from).toBe(await recoverTransactionAddress({ serializedTransaction: of(raw) as never }));
    expect(decoded.hash).toBe(keccak256(of(raw)));
    const known = parseTransaction(of(raw));
    expect(decoded).toMatchObject({
      type: ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'].indexOf(String(known.type)),
      chainId: known.chainId ?? null,
      nonce: known.nonce,
      gasLimit: known.gas,
      value: known.value,
      data: known.data,
      gasPrice: known.gasPrice ?? null,
      maxFeePerGas: known.maxFeePerGas ?? null,
      maxPriorityFeePerGas: known.maxPriorityFeePerGas ?? null,
      maxFeePerBlobGas: known.maxFeePerBlobGas ?? null,
    });
    expect(decoded.to?.toLowerCase()).toBe(known.to?.toLowerCase());
    expect(decodeTransaction(hexToBytes(raw))).toEqual(decoded);
  });

  it('has checksummed addresses, and brings as many blobs as it names', () => {
    expect(decodeTransaction(samples.legacy)).toMatchObject({ to: FRIEND, blobCount: 0 });
    expect(decodeTransaction(samples.blobs).blobCount).toBe(2);
    expect(decodeTransaction(samples['blobs with cell proofs']).blobCount).toBe(1);
  });
});

describe('text', () => {
  const raw = samples['dynamic fee'];
  const { hash } = decodeTransaction(raw);

  it.each([
    ['without 0x', raw.slice(2)],
    ['with blanks and line breaks around it', `\n\t ${raw} \r\n`],
    ['quoted', `"${raw}"`],
    ['quoted, as a line', ` '${raw}'\n`],
    ['in typographic quotes', `“${raw}”`],
    ['wrapped over lines', raw.replace(/(.{60})/g, '$1\r\n  ')],
    ['in capitals', `0X${raw.slice(2).toUpperCase()}`],
    ['with marks that are not seen', `\ufeff${raw.slice(0, 40)}\u200b${raw.slice(40)}`],
  ])('is taken %s', (_, text) => {
    expect(decodeTransaction(text).hash).toBe(hash);
  });

  it.each([
    ['nothing', '', /^there is nothing: give the signed transaction/],
    ['blanks', ' \n ', /^there is nothing/],
    ['0x', '0x', /^there is nothing/],
    ['quotes', '""', /^there is nothing/],
    ['an odd number of digits', raw.slice(0, -1), /^the number of hex digits is odd/],
    ['words', 'my transaction', /^this is no hex/],
    ['two of them, each with 0x', `0x${'02f8'.repeat(50)}\n0x${'02f8'.repeat(50)}`, /^this is no hex/],
    [
      'a wallet’s JSON',
      JSON.stringify({ raw, tx: {} }),
      /^this is JSON: give only the signed transaction in it/,
    ],
    [
      'a private key',
      keccak256('0x01'),
      /^this looks like a private key \(or a transaction hash\): never paste/,
    ],
    ['a bare private key', keccak256('0x02').slice(2), /^this looks like a private key/],
    [
      'a private key that begins as a list of its length',
      `0xdf${'ab'.repeat(31)}`,
      /^this looks like a private key/,
    ],
    ['a private key that is a list of bytes', `0xdf${'01'.repeat(31)}`, /^this looks like a private key/],
    ['an address', FRIEND, /^this is an address/],
    ['a signature', `0x${'ab'.repeat(65)}`, /^this is only a signature/],
    [
      'a recovery phrase',
      'test test test test test test test test test test test junk',
      /^this looks like a recovery phrase: never paste it anywhere/,
    ],
    ['half of it', raw.slice(0, 100), /^it ends in the middle/],
    ['two of them', raw + raw.slice(2), /^there are bytes after the end of the transaction/],
    [
      'a type that is never written',
      `0x00${raw.slice(4)}`,
      /^a legacy transaction \(type 0\) begins with its list/,
    ],
    ['another type', `0x05${raw.slice(4)}`, /^transactions of type 5 are not known: types 0 to 4 are/],
    ['a deposit of a rollup', `0x7e${raw.slice(4)}`, /^transactions of type 126 are not known/],
    ['more than any transaction', 'ab'.repeat(4_000_001), /^this is longer than any transaction/],
  ])('is refused where it is %s', (_, text, reason) => {
    expect(refusalOf(text)).toMatch(reason);
  });
});

it('a text of quotes is refused at once', () => {
  expect(refusalOf(`${'"'.repeat(3_000_000)}x${'"'.repeat(3_000_000)}x`)).toMatch(/^this is no hex/);
});

describe('sizes', () => {
  const call = { type: 'eip1559', chainId: 1, nonce: 0, to: FRIEND, gas: 10_000_000n } as const;
  const signed = (length: number) =>
    ACCOUNT.signTransaction({
      ...call,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      data: `0x${'ab'.repeat(length)}`,
    });

  it('are those that nodes take: 128 KiB, and not a byte more', async () => {
    const header = (131_072 * 2 + 2 - (await signed(131_000)).length) / 2;
    const largest = await signed(131_000 + header);
    expect(hexToBytes(largest)).toHaveLength(131_072);
    expect(decodeTransaction(largest).hash).toBe(keccak256(largest));
    expect(refusalOf(await signed(131_001 + header))).toMatch(
      /^it has 131073 bytes, and nodes take at most 131072/,
    );
  });

  it('are six blobs at most', async () => {
    expect(decodeTransaction(await signedBlobs(6)).blobCount).toBe(6);
    expect(refusalOf(await signedBlobs(7))).toMatch(
      /^it has 7 blobs, and a transaction may have 6 \(EIP-7594\)/,
    );
    expect(refusalOf(await signedBlobs(8))).toMatch(/^it has \d+ bytes, and nodes take at most 1048576/);
  });
});
