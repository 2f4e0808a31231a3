import { getContractAddress } from 'viem/utils';
import type { Hex } from '../block.ts';
import { type GasRules, gasNeeded, RULES, type TransactionParts } from '../transactions/gas-rules.ts';
import {
  AUTHORITIES_READ,
  type Authorization,
  type SignedTransaction,
} from '../transactions/signed-transaction.ts';
import { formatCount } from '../units.ts';

/** An account that a transaction pays, creates or delegates, as the chain has it. */
export interface AccountFacts {
  /** It has a balance, a nonce or code (EIP-161). */
  readonly exists: boolean;
  /** Its code is that of another account (EIP-7702). */
  readonly isDelegated: boolean;
}

/** @param code `none`, `contract` or `delegated` */
export const accountFacts = (balance: bigint, nonce: number, code: string): AccountFacts => ({
  exists: balance > 0n || nonce > 0 || code !== 'none',
  isDelegated: code === 'delegated',
});

/** By address in lower case; `null`: no node says. Those that do not decide are left out. */
export type Accounts = ReadonlyMap<string, AccountFacts | null>;

/**
 * Included, but bound to fail and to pay all of its gas, since Amsterdam charges for accounts before its first step
 * (EIP-2780, EIP-8037).
 */
interface Shortfall {
  readonly words: string;
  /** Whatever else changes until then, but that account. */
  readonly isCertain: boolean;
}

/** The row that charges for accounts. */
const ROW: GasRules = RULES.amsterdam;

const keyOf = (address: Hex) => address.toLowerCase();

/** The account that it pays, calls or creates. */
export const addressPaid = ({ from, nonce, to }: SignedTransaction): Hex =>
  to ?? getContractAddress({ from, nonce: BigInt(nonce) });

/** It makes the account that it pays or creates, where that does not exist. */
export const makesRecipient = (parts: TransactionParts) =>
  parts.creates || (parts.hasValue && !parts.isToSelf);

/** The accounts that decide whether its gas is enough; none: it is, whatever they are. */
export function accountsThatDecide(transaction: SignedTransaction, parts: TransactionParts): readonly Hex[] {
  const { intrinsic } = gasNeeded(parts, ROW);
  const absent = ROW.newAccount * (makesRecipient(parts) ? 1 : 0);
  const most = Math.max(absent, parts.creates ? 0 : ROW.delegatedRecipient);
  const authorized = gasForAuthorizations(transaction, parts, () => null);
  if (transaction.gasLimit >= intrinsic + most + authorized) return [];
  const authorities = authoritiesOf(transaction).map(([authority]) => authority);
  return [...new Set([addressPaid(transaction), ...authorities].map(keyOf))] as Hex[];
}

/** Each account that its authorizations may delegate, and those; what the chain skips for certain is left out. */
function authoritiesOf({ authorizations, chainId }: SignedTransaction) {
  const counted = authorizations.flatMap((each) => {
    const isSkipped = each.chainId !== 0 && chainId !== null && each.chainId !== chainId;
    return each.authority === null || isSkipped ? [] : [{ ...each, key: keyOf(each.authority) as Hex }];
  });
  return [...Map.groupBy(counted, ({ key }) => key)];
}

const ZERO = /^0x0{40}$/;
const delegates = (authorizations: readonly Authorization[]) =>
  authorizations.some(({ address }) => !ZERO.test(address));

/** The most that its authorizations take beyond its intrinsic gas: those with another nonce are skipped. */
function gasForAuthorizations(
  transaction: SignedTransaction,
  parts: TransactionParts,
  accountOf: (key: string) => AccountFacts | null,
): number {
  const paid = parts.hasValue ? addressPaid(transaction) : transaction.from;
  const isWritten = new Set([transaction.from, paid].map(keyOf));
  const named = authoritiesOf(transaction);
  const sums = named.map(([authority, authorizations]) => {
    const account = accountOf(authority);
    const exists = account?.exists === true || authority === keyOf(transaction.from);
    const isNew = delegates(authorizations) && account?.isDelegated !== true;
    return (
      (isWritten.has(authority) ? 0 : ROW.accountWrite) +
      (exists ? 0 : ROW.newAccount) +
      (isNew ? ROW.delegation : 0)
    );
  });
  // Those that were not read may each make an account of its own.
  const read = Math.min(transaction.authorizations.length, AUTHORITIES_READ);
  const unread = (parts.authorizations - read) * (ROW.accountWrite + ROW.newAccount + ROW.delegation);
  return sums.reduce((sum, each) => sum + each, unread);
}

/** What it lacks for the accounts that it pays, makes or delegates; `null`: nothing that is known. */
export function shortfallOf(
  transaction: SignedTransaction,
  parts: TransactionParts,
  accounts: Accounts,
): Shortfall | null {
  return (
    shortForRecipient(transaction, parts, accounts) ?? shortForAuthorizations(transaction, parts, accounts)
  );
}

function shortForRecipient(
  transaction: SignedTransaction,
  parts: TransactionParts,
  accounts: Accounts,
): Shortfall | null {
  const { gasLimit, to } = transaction;
  const recipient = accounts.get(keyOf(addressPaid(transaction)));
  if (recipient === undefined) return null;
  const { intrinsic } = gasNeeded(parts, ROW);
  const least = intrinsic + (makesRecipient(parts) ? ROW.newAccount : 0);
  const whom = to === null ? 'the contract' : to;
  const signAgain = `${losesWords(gasLimit, 'is included, fails and pays')} at least`;
  if (recipient === null) {
    if (gasLimit >= least) return null;
    const words = `whether ${whom} exists is unknown: if it does not, ${signAgain} ${formatCount(least)}`;
    return { words, isCertain: false };
  }
  if (!recipient.exists) {
    if (gasLimit >= least) return null;
    const what = to === null ? 'making a contract takes' : `${whom} does not exist yet, and paying it takes`;
    return {
      words: `${what} ${formatCount(least)} gas: ${signAgain} ${formatCount(least)}`,
      isCertain: true,
    };
  }
  const delegated = intrinsic + ROW.delegatedRecipient;
  if (parts.creates || !recipient.isDelegated || gasLimit >= delegated) return null;
  const does = parts.hasValue ? 'paying' : 'calling';
  const words = `${whom} is delegated to code (EIP-7702), and ${does} it takes ${formatCount(delegated)} gas: ${signAgain} ${formatCount(delegated)}`;
  return { words, isCertain: false };
}

/** An authorization that has an effect costs more than is charged before it runs. */
function shortForAuthorizations(
  transaction: SignedTransaction,
  parts: TransactionParts,
  accounts: Accounts,
): Shortfall | null {
  const { gasLimit } = transaction;
  if (parts.authorizations === 0) return null;
  const key = keyOf(addressPaid(transaction));
  const recipient = accounts.get(key);
  const ofRecipient = authoritiesOf(transaction).find(([authority]) => authority === key)?.[1] ?? [];
  const isDelegated = recipient?.isDelegated === true || delegates(ofRecipient);
  // One that was not asked for is likely to be there.
  const accountOf = (authority: string) =>
    accounts.has(authority) ? (accounts.get(authority) ?? null) : { exists: true, isDelegated: false };
  const most =
    gasNeeded(parts, ROW).intrinsic +
    (recipient?.exists === false && makesRecipient(parts) ? ROW.newAccount : 0) +
    (isDelegated ? ROW.delegatedRecipient : 0) +
    gasForAuthorizations(transaction, parts, accountOf);
  if (gasLimit >= most) return null;
  const words = `delegating takes up to ${formatCount(most)} gas: ${losesWords(gasLimit, 'may be included, fail and pay')} that`;
  return { words, isCertain: false };
}

const losesWords = (gasLimit: bigint, what: string) =>
  `with its gas limit of ${formatCount(Number(gasLimit))} it ${what} for all of its gas (${ROW.name}): sign it again with`;
