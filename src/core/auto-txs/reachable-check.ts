import { formatPercent } from '../units.ts';
import type { Check } from './kept-auto-tx.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import { capName, capWords, gwei, gweiBeside, laneWords } from './preflight-words.ts';
import { overpaidBy } from './price-to-pay.ts';
import { capOf, distanceTo, isDue, type NextPrices, type Unreachable, unreachable } from './target.ts';

/** Whether it can ever be included at this target, and how far that is. */
export function reachableCheck(facts: PreflightFacts): Check {
  const never = unreachableReason(facts);
  if (never !== null) return { name: 'reachable', ok: false, message: neverWords(never, facts) };
  return { name: 'reachable', ok: true, message: `${whenWords(facts)}${noteWords(facts)}` };
}

function unreachableReason({
  order,
  transaction,
  nextBaseFee,
}: Pick<PreflightFacts, 'order' | 'transaction' | 'nextBaseFee'>): Unreachable | null {
  const chainHasBaseFee = nextBaseFee === null ? null : nextBaseFee > 0n;
  return unreachable(order, transaction, chainHasBaseFee);
}

function neverWords(
  why: Unreachable,
  { order, transaction }: Pick<PreflightFacts, 'order' | 'transaction'>,
): string {
  const target = `your target of ${gwei(order.target)}`;
  switch (why) {
    case 'gas-price':
      return `it always pays its gas price of ${gwei(capOf(transaction))}, which is above ${target}: that is never reached; raise the target or sign it again with less`;
    case 'tip':
      return `its priority fee of ${gwei(transaction.maxPriorityFeePerGas ?? 0n)} leaves nothing of ${target} for the base fee: that is never reached; raise the target or sign it again with a lower priority fee`;
    case 'no-cap':
      return `its ${capName(transaction)} is 0, and the base fee never is: no block ever takes it; sign it again with more`;
    case 'no-blob-cap':
      return 'its blob cap is 0, and the blob base fee is at least 1 wei: no block ever takes it; sign it again with more';
  }
}

function whenWords(facts: PreflightFacts): string {
  const { order, transaction } = facts;
  const price = order.isStrict ? 'what it would pay' : `the ${laneWords(order.lane)} lane`;
  const goal = `${price} is at or below ${gwei(order.target)}`;
  const next = nextPrices(facts);
  const goesOut = facts.takesNone == null ? 'it goes out' : 'it would go out';
  if (next === null) return `${goesOut} once ${goal}; what that is now could not be told`;
  const distance = distanceTo(order, transaction, next);
  if (distance === null || isDue(order, transaction, next)) {
    return `${goal} now${dueWords(facts)}`;
  }
  const fall = `has to fall by ${formatPercent(distance.ratio, distance.ratio < 0.1 ? 1 : 0)}`;
  if (distance.waitsForCap) {
    return `it waits for your ${capWords(transaction)}: the base fee of ${gweiBeside(next.nextBaseFee, capOf(transaction))} ${fall}`;
  }
  return `${goesOut} once ${goal}; that is ${gweiBeside(distance.price, order.target)} now and ${fall}`;
}

/** What follows from that its price is there. What the lane costs is not what it pays itself. */
function dueWords(facts: PreflightFacts): string {
  if (facts.takesNone != null) return '';
  const pays = overpaidBy(facts);
  const own = pays === null ? '' : `, but pays ${gweiBeside(pays, facts.order.target)} itself (see cost)`;
  return `: it goes out with the next block${own}`;
}

/** `null`: nobody knows what counts. A strict target asks for no lane. */
function nextPrices({ order, nextBaseFee, lanePrice }: PreflightFacts): NextPrices | null {
  if (nextBaseFee === null || (!order.isStrict && lanePrice === null)) return null;
  return { nextBaseFee, lanePrice: lanePrice ?? 0n };
}

function waitsForCap(facts: PreflightFacts): boolean {
  const next = nextPrices(facts);
  return next !== null && distanceTo(facts.order, facts.transaction, next)?.waitsForCap === true;
}

/** What may surprise of it, though it can be reached. */
function noteWords(facts: PreflightFacts): string {
  const { order, transaction } = facts;
  const cap = capOf(transaction);
  const notes: string[] = [];
  if (facts.takesNone != null) notes.push(`nothing is sent from here: ${facts.takesNone}`);
  // Said already where that is what it waits for.
  if (!order.isStrict && cap < order.target && !waitsForCap(facts)) {
    notes.push(
      `it also waits for a base fee within your ${capWords(transaction)}, which is below the target`,
    );
  }
  if (transaction.maxFeePerGas !== null && transaction.maxPriorityFeePerGas === 0n) {
    notes.push('its priority fee is 0, so that blocks may leave it out');
  }
  return notes.map((note) => `; ${note}`).join('');
}
