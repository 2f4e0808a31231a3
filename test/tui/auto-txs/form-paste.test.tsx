import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import { SIZES } from '../show-screen.tsx';
import { showForm } from './show-form.tsx';
import { FROM, signedTransfer, TO } from './signed.ts';

it.each(SIZES)('says what to paste and that it is not shown, at %i × %i', async (columns, rows) => {
  const { shows } = await showForm({ columns, rows });
  await shows('paste it here; it is never shown', 'Never paste a private key');
});

it.each(SIZES)('decodes what is pasted at once and shows none of it, at %i × %i', async (columns, rows) => {
  const { shows, screen, paste } = await showForm({ columns, rows });
  const signed = await signedTransfer();
  paste(signed);
  await shows(
    `signed transaction, ${(signed.length - 2) / 2} bytes, EIP-1559`,
    /from +0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266/,
    `to         ${TO}`,
    '0.01 ETH ($32.15)',
    /nonce +7, gas limit 21,000/,
    'at most 0.06 gwei per gas, tip 0.001',
    'Ethereum (1)',
  );
  expect(screen()).not.toContain(signed.slice(0, 18));
});

it('says whose account it delegates to what code before what it calls', async () => {
  const { shows, paste } = await showForm({ columns: 120, rows: 37 });
  const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
  const authorizationList = [await account.signAuthorization({ address: TO, chainId: 1, nonce: 8 })];
  paste(await signedTransfer({ type: 'eip7702', gas: 100_000n, value: 1n, authorizationList }));
  await shows(
    /does +delegates the account 0xf39F…2266 to the code at 0x7099…79C8 \(on this chain\)/,
    /value +1 wei/,
  );
});

it.each(SIZES)('says at once that it is for another chain, at %i × %i', async (columns, rows) => {
  const { shows, paste } = await showForm({ columns, rows });
  paste(await signedTransfer({ chainId: 10 }));
  await shows(/from +0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266/, /✗ chain/);
});

it('says once that it is for another chain when the service refuses it for that', async () => {
  const message = 'it is signed for OP Mainnet (chain 10), but this is Ethereum (chain 1)';
  const refused = new ClientError('invalid', message, {
    ...{ endpoint: '/auto-txs', details: [{ path: 'signedTransaction', message }] },
  });
  const { leads, screen, paste, shows } = await showForm({}, { createAutoTx: () => Promise.reject(refused) });
  paste(await signedTransfer({ chainId: 10 }));
  await shows(/✗ chain +it is signed for OP Mainnet/);
  await leads('ctrl+s', '! it is signed for OP Mainnet');
  expect(screen().match(/it is signed for/g)).toHaveLength(1);
});

it('takes it with line ends, blanks and quotes, and without 0x', async () => {
  const { shows, paste } = await showForm();
  const digits = (await signedTransfer()).slice(2);
  paste(`  "${digits.replace(/(.{40})/g, '$1\r\n')}"\n`);
  await shows(FROM);
});

it('takes it where the terminal puts no brackets around what is pasted; line ends in it are no Enter', async () => {
  const { leads, sent } = await showForm();
  const signed = await signedTransfer();
  await leads(signed.replace(/(.{40})/g, '$1\r'), FROM, '▸ signed');
  expect(sent).toEqual([]);
});

it.each([
  [`0x${'ab'.repeat(32)}`, /private key/],
  ['legal winner thank year wave sausage worth useful legal winner thank yellow', /recovery phrase/],
  ['{"raw":"0x02"}', /JSON/],
  ['hello', /no hex/],
  ['0x02f8', /!/],
])('says in a line what is wrong with %s', async (text, words) => {
  const { leads, shows, screen, paste, sent } = await showForm();
  paste(text);
  await shows(words, 'no signed transaction');
  expect(screen()).not.toContain(text.slice(0, 16));
  await leads('ctrl+s', '▸ signed');
  expect(sent).toEqual([]);
});

it('forgets what was pasted with Ctrl-U or Backspace, and takes another one', async () => {
  const { leads, shows, paste } = await showForm();
  paste('0x1234');
  await shows('no signed transaction');
  await leads('ctrl+u', 'paste it here; it is never shown');
  paste(await signedTransfer({ nonce: 12 }));
  await shows(/nonce +12/);
  await leads('backspace', 'paste it here; it is never shown');
});

it('cannot be sent without it', async () => {
  const { leads, sent } = await showForm();
  await leads(['tab', 'tab', 'ctrl+s'], 'needs a signed transaction: paste it here', '▸ signed');
  expect(sent).toEqual([]);
});
