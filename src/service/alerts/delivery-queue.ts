import { channelNamed } from '../../contract/alert-channels.ts';
import type { DueDelivery } from '../../store/outbox.ts';
import { OPERATOR } from '../../store/tables.ts';

const MOST_AT_ONCE = 32;
/** Concurrent attempts for one API key: slow recipients of one key must not delay other keys. */
const MOST_PER_OWNER = 8;
const MOST_PER_RECIPIENT = 2;

/** Due deliveries, first those of the owner with the fewest under way: a slow recipient or owner delays only its own. */
export class DeliveryQueue {
  readonly #waiting = new Map<string, Waiting>();
  readonly #underWay = new Map<string, Waiting>();

  add(due: DueDelivery): void {
    if (this.#waiting.has(due.id) || this.#underWay.has(due.id)) return;
    this.#waiting.set(due.id, { due, recipient: recipientOf(due) });
  }

  /** The next that may be sent now; it counts as under way from then on. */
  take(): DueDelivery | null {
    if (this.#underWay.size >= MOST_AT_ONCE) return null;
    const owners = new Map<string, number>();
    const recipients = new Map<string, number>();
    for (const { due, recipient } of this.#underWay.values()) {
      owners.set(due.owner, (owners.get(due.owner) ?? 0) + 1);
      recipients.set(recipient, (recipients.get(recipient) ?? 0) + 1);
    }
    let next: Waiting | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const each of this.#waiting.values()) {
      const { owner } = each.due;
      const ofOwner = owners.get(owner) ?? 0;
      // The operator has no limit of their own.
      if (owner !== OPERATOR && ofOwner >= MOST_PER_OWNER) continue;
      if (ofOwner >= least || (recipients.get(each.recipient) ?? 0) >= MOST_PER_RECIPIENT) continue;
      next = each;
      least = ofOwner;
      if (least === 0) break;
    }
    if (next === null) return null;
    this.#waiting.delete(next.due.id);
    this.#underWay.set(next.due.id, next);
    return next.due;
  }

  end({ id }: DueDelivery): void {
    this.#underWay.delete(id);
  }
}

interface Waiting {
  readonly due: DueDelivery;
  readonly recipient: string;
}

/** The recipient that limits apply to: the host of a URL, else the channel. */
function recipientOf({ channel, target }: DueDelivery): string {
  const isUrl = channelNamed(channel)?.target?.refuse === 'unless-url';
  return (isUrl && URL.parse(target)?.host) || channel;
}
