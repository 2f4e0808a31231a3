import type { ChainSource } from '../../chain/chain-source.ts';
import type { AutoTxOrder, Check } from '../../core/auto-txs/kept-auto-tx.ts';
import { preflight } from '../../core/auto-txs/preflight.ts';
import { takesNone } from '../../core/auto-txs/takes-none.ts';
import { type CreationProblem, creationProblems } from '../../core/auto-txs/verdict.ts';
import { waitingBelow } from '../../core/auto-txs/waiting-below.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import type { AutoTxStore } from '../../store/auto-tx-store.ts';
import { ApiFailure } from '../http/errors.ts';
import type { Present } from '../responses/gas.ts';
import { readKnownOfSender } from './sender-facts.ts';

export interface CheckerParts {
  readonly source: ChainSource;
  readonly store: Pick<AutoTxStore, 'waiting'>;
  /** What is known now; `null` while there is nothing yet. */
  readonly moment: () => Present | null;
  /** Ms since epoch. */
  readonly wallNow: () => number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** What is asked to be sent, by whom. */
export interface ToCheck {
  readonly owner: string;
  /** `null`: it is new. */
  readonly id: string | null;
  readonly chainId: number;
  readonly transaction: SignedTransaction;
  readonly order: AutoTxOrder;
  /** Its signature comes with this request, which is refused where no waiting could ever get it sent. */
  readonly isNew: boolean;
}

/**
 * Makes the checks of what somebody hands over, over what the chain says now; what it does not say in time could not be told.
 * @throws {ApiFailure} `validation_failed` where it can never be sent.
 */
export async function checkToSend(
  { source, store, moment, wallNow, signal }: CheckerParts,
  { owner, id, chainId, transaction, order, isNew }: ToCheck,
): Promise<Check[]> {
  const present = moment();
  // Prices of an hour ago say nothing of the next block.
  const fresh = present === null || present.stale ? null : present;
  const [sender, waiting] = await Promise.all([
    readKnownOfSender(source, transaction.from, signal),
    store.waiting(owner, transaction.from),
  ]);
  const facts = {
    transaction,
    order,
    takesNone: takesNone(source.kind),
    chainId,
    chainName: present?.profile.name ?? `chain ${chainId}`,
    nativeSymbol: present?.profile.nativeSymbol ?? 'ETH',
    nativeUsd: present?.nativeUsd ?? null,
    ...sender,
    nextBaseFee: fresh?.advice.nextBaseFee ?? null,
    nextBlobBaseFee: fresh?.advice.nextBlobBaseFee ?? null,
    lanePrice: fresh?.advice.lanes[order.lane].price ?? null,
    now: wallNow(),
    waitingBelow: waitingBelow(waiting, { id, nonce: transaction.nonce }),
  };
  const problems = isNew ? creationProblems(facts) : [];
  if (problems.length > 0) throw hopeless(problems);
  return preflight(facts);
}

const hopeless = (problems: readonly CreationProblem[]) =>
  new ApiFailure('validation_failed', problems.map(({ message }) => message).join('; '), {
    details: problems.map(({ path, message }) => ({ path, message })),
  });

/** @throws {ApiFailure} `conflict` where what is made can never be sent. */
export function requirePool({ kind }: ChainSource): void {
  const why = takesNone(kind);
  if (why !== null) throw new ApiFailure('conflict', `${why}; run with --rpc URL`);
}
