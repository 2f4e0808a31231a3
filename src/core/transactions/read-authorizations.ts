import { checksummedAddress } from './checksummed-address.ts';
import { recoverSender } from './recover-sender.ts';
import { type Authorization, TransactionError } from './signed-transaction.ts';
import { SAFE_MOST, type TransactionFields, UINT256_MOST } from './transaction-fields.ts';

type Signed = Pick<Authorization, 'authority'>;

const UINT64_MOST = 2n ** 64n - 1n;
/** Each recovery takes about a millisecond, and 128 KiB hold thousands. */
const RECOVERED = 16;
/** What is before an authorization when it is signed. */
const MAGIC = 5;

/**
 * EIP-7702: who hands which account over to what code. Whose signature, chain or nonce is wrong is skipped by the chain,
 * not refused.
 *
 * @throws TransactionError
 */
export function readAuthorizations(fields: TransactionFields): readonly Authorization[] {
  const entries = fields.entries('the authorization list', 6);
  if (entries.length === 0) {
    throw new TransactionError(
      'it has no authorizations, and a transaction of type 4 needs one: sign it again',
    );
  }
  return entries.map((entry, place) => {
    const chainId = entry.integer('the chain id of an authorization', UINT256_MOST);
    const address = entry.address('the address of an authorization');
    const nonce = entry.integer('the nonce of an authorization', UINT64_MOST);
    return {
      chainId: numberOrText(chainId),
      address: checksummedAddress(address),
      nonce: numberOrText(nonce),
      ...readAuthority(entry, place < RECOVERED),
    };
  });
}

function readAuthority(entry: TransactionFields, isRecovered: boolean): Signed {
  const yParity = entry.integer('the y parity of an authorization', 255n);
  const r = entry.integer('r of an authorization', UINT256_MOST);
  const s = entry.integer('s of an authorization', UINT256_MOST);
  if (!isRecovered || yParity > 1n) return { authority: null };
  const payload = Uint8Array.of(MAGIC, ...entry.encodedList(3));
  try {
    return { authority: recoverSender(payload, { r, s, yParity: yParity === 0n ? 0 : 1 }) };
  } catch (error) {
    if (error instanceof TransactionError) return { authority: null };
    throw error;
  }
}

const numberOrText = (value: bigint) => (value <= SAFE_MOST ? Number(value) : String(value));
