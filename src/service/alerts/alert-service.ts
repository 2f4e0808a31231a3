import { randomBytes } from 'node:crypto';
import { methodOf, type TargetRules, targetsOf } from '../../contract/alert-targets.ts';
import type {
  Alert,
  AlertCreation,
  AlertDelivery,
  AlertDetails,
  AlertList,
  AlertSavings,
  CreatedAlert,
  RotatedSecret,
} from '../../contract/alerts.ts';
import { type AlertStatus, GAS_SPEEDS, LANE_OF_SPEED } from '../../contract/choices.ts';
import type { StatsChart, Summary } from '../../contract/dashboard.ts';
import { NO_BLOBS } from '../../core/advice.ts';
import { ARMED, changedPhase, type StoredAlert, switchedAlert } from '../../core/alerts/alert-rule.ts';
import { blobPriceOf } from '../../core/chains.ts';
import { ruleFromWire } from '../../core/threshold/rule-wire.ts';
import { DAY_MS } from '../../core/time.ts';
import { formatCount, weiOfGwei } from '../../core/units.ts';
import { swapGas } from '../../core/usual-work.ts';
import type { AlertStore } from '../../store/alerts.ts';
import type { OutboxStore } from '../../store/outbox.ts';
import type { SigningSecretStore } from '../../store/signing-secrets.ts';
import { OPERATOR, type TimeSpan } from '../../store/tables.ts';
import type { IngestedChain } from '../follow/ingested-chain.ts';
import { conflict, invalidField, notFound } from '../http/errors.ts';
import {
  alertResponse,
  channelOf,
  deliveryResponse,
  firingsSaved,
  savingsResponse,
} from '../responses/alerts.ts';
import type { Totals } from '../responses/summary.ts';
import { isoFromMs } from '../responses/wire.ts';
import { type PricingParts, priceRule } from './rule-basis.ts';

export const ALERTS_PER_KEY = 1_000;
const ID_BYTES = 8;
const SEND_AGAIN_MS = 60_000;

interface AlertServiceParts extends PricingParts {
  readonly alerts: AlertStore;
  readonly outbox: OutboxStore;
  readonly secrets: SigningSecretStore;
  readonly rules: TargetRules;
  readonly wallNow: () => number;
  /** By the chain's clock, which differs for recordings. */
  readonly chainNow: () => number;
  readonly onDue: () => void;
  readonly chain: PricingParts['chain'] & Pick<IngestedChain, 'profile'>;
}

/** The alert endpoints of v1, separated by owner. Works without the chain. */
export class AlertService {
  readonly #parts: AlertServiceParts;
  /** Time of the last manual retry of each delivery within the last minute. */
  readonly #sentAgainAt = new Map<string, number>();

  constructor(parts: AlertServiceParts) {
    this.#parts = parts;
  }

  get rules(): TargetRules {
    return this.#parts.rules;
  }

  /** @throws {ApiFailure} `validation_failed`; `conflict` when its owner has reached the limit. */
  async create(owner: string, creation: AlertCreation): Promise<CreatedAlert> {
    const { alerts } = this.#parts;
    const content = await this.#contentOf(creation);
    const now = this.#parts.wallNow();
    const alert: StoredAlert = {
      id: `alr_${randomBytes(ID_BYTES).toString('hex')}`,
      owner,
      ...content,
      phase: ARMED,
      createdAt: now,
      updatedAt: now,
      triggerCount: 0,
      lastTriggeredAt: null,
      missedCount: 0,
      lastMissedAt: null,
      disabledReason: null,
    };
    // Before the alert, so that the secret exists even if the process ends in between.
    const secret = hasWebhook(alert) ? await this.#signingSecret(owner) : null;
    if (!(await alerts.create(alert, owner === OPERATOR ? Number.POSITIVE_INFINITY : ALERTS_PER_KEY))) {
      throw conflict(
        `this key has ${formatCount(ALERTS_PER_KEY)} alerts already, the most there may be; delete one first`,
      );
    }
    return { ...this.#respond(alert, owner), signingSecret: secret };
  }

  async list(owner: string, page: number, size: number): Promise<AlertList> {
    const { alerts, total } = await this.#parts.alerts.list(owner, { offset: page * size, limit: size });
    return { items: alerts.map((alert) => this.#respond(alert, owner)), page, size, total };
  }

  /** @throws {ApiFailure} `not_found`, like all methods below. */
  async details(owner: string, id: string): Promise<AlertDetails> {
    const alert = await this.#find(owner, id);
    const deliveries = await this.#parts.outbox.deliveries(id);
    return { ...this.#respond(alert, owner), deliveries: deliveries.map(deliveryResponse) };
  }

  async update(owner: string, id: string, creation: AlertCreation): Promise<CreatedAlert> {
    const { alerts, wallNow } = this.#parts;
    const content = await this.#contentOf(creation);
    const updated = await alerts.change(owner, id, (stored) => ({
      ...stored,
      ...content,
      phase: changedPhase(stored, content.rule),
      updatedAt: wallNow(),
    }));
    if (updated === null) throw noAlert();
    const { before, after } = updated;
    const isNew = hasWebhook(after) && !hasWebhook(before);
    const signingSecret = isNew ? await this.#signingSecret(after.owner) : null;
    return { ...this.#respond(after, owner), signingSecret };
  }

  async rotateSigningSecret(owner: string): Promise<RotatedSecret> {
    const { secrets, wallNow } = this.#parts;
    const rotated = await secrets.rotate(owner, wallNow());
    if (rotated === 'too-many') {
      throw conflict(
        'the secret was rotated so often that every webhook has a signature by twenty earlier ones; each goes a day after it was replaced: try again later',
      );
    }
    const { secret, previousUntil } = rotated;
    return {
      signingSecret: secret,
      previousUntil: previousUntil === null ? null : isoFromMs(previousUntil),
    };
  }

  async setStatus(owner: string, id: string, status: AlertStatus): Promise<Alert> {
    const { alerts, wallNow } = this.#parts;
    const changed = await alerts.change(owner, id, (stored, headTime) =>
      switchedAlert(stored, status === 'PENDING', { headTime, now: wallNow() }),
    );
    if (changed === null) throw noAlert();
    return this.#respond(changed.after, owner);
  }

  async remove(owner: string, id: string): Promise<void> {
    if (!(await this.#parts.alerts.remove(owner, id))) throw noAlert();
  }

  async savings(owner: string, id: string, gasAmount = this.#savingsGas): Promise<AlertSavings> {
    await this.#find(owner, id);
    const { firings, sum } = await this.#parts.alerts.savings(id);
    return savingsResponse(id, sum, firings, gasAmount);
  }

  async totals(owner: string): Promise<Totals<Summary['alerts']>> {
    const { alerts, chainNow } = this.#parts;
    const { sum, fired: fired24h, ...counts } = await alerts.totals(owner, chainNow() - DAY_MS);
    return {
      counts: { ...counts, fired24h },
      events: sum.firings,
      saved: firingsSaved(sum, this.#savingsGas),
    };
  }

  /** Firings of the owner's alerts, oldest first. */
  async marks(owner: string, span: TimeSpan): Promise<StatsChart['events']> {
    const firings = await this.#parts.alerts.firingsBetween(owner, span);
    return firings.map(({ alertId, triggeredAt }) => ({
      timestamp: isoFromMs(triggeredAt),
      kind: 'ALERT',
      id: alertId,
    }));
  }

  /** Retries a delivery. @throws {ApiFailure} `conflict` when its channel sends nothing, or is not set up here. */
  async redeliver(owner: string, id: string, deliveryId: string): Promise<AlertDelivery> {
    const { outbox, rules, wallNow, onDue } = this.#parts;
    await this.#find(owner, id);
    const before = await outbox.delivery(id, deliveryId);
    if (before === null) throw notFound(NO_DELIVERY);
    if (before.channel === 'TERMINAL') {
      throw conflict('TERMINAL has nothing to send again: every running monitor showed it');
    }
    if (rules.missing[channelOf(before.channel)] !== undefined)
      throw conflict(`${before.channel} is not set up on this service`);
    this.#requirePause(deliveryId, wallNow());
    const delivery = await outbox.redeliver(id, deliveryId, wallNow());
    if (delivery === null) throw notFound(NO_DELIVERY);
    onDue();
    return deliveryResponse(delivery);
  }

  /** A retry is sent at once: without a limit, an alert's owner could flood the recipient. */
  #requirePause(deliveryId: string, now: number): void {
    for (const [id, at] of this.#sentAgainAt) {
      if (Math.abs(now - at) >= SEND_AGAIN_MS) this.#sentAgainAt.delete(id);
    }
    if (this.#sentAgainAt.has(deliveryId)) {
      throw conflict('this delivery was sent again less than a minute ago; wait a minute');
    }
    this.#sentAgainAt.set(deliveryId, now);
  }

  /**
   * With the price that its rule stands for now; the next block works it out anew. Without unpaired surrogates, which JSON may
   * carry but the database cannot store. @throws {ApiFailure} `validation_failed`
   */
  async #contentOf(creation: AlertCreation): Promise<Content> {
    const { gasSpeed, condition, channels, thresholdGwei, threshold, hysteresisGwei } = creation;
    if (gasSpeed === 'BLOB' && this.#lacksBlobs) {
      throw invalidField('gasSpeed', `must be one of ${GAS_SPEEDS.join(', ')}: ${NO_BLOBS}`);
    }
    const lane = LANE_OF_SPEED[gasSpeed];
    const written = threshold == null ? null : ruleFromWire(threshold);
    const now = written && (await priceRule({ lane, condition }, written, this.#parts));
    return {
      rule: {
        lane,
        condition,
        threshold: now && 'price' in now ? now.price : weiOfGwei(thresholdGwei ?? 0),
        relative: written && { written, since: null, reason: now && 'reason' in now ? now.reason : null },
        hysteresis: weiOfGwei(hysteresisGwei),
        confirmBlocks: creation.confirmBlocks,
        cooldownMs: creation.cooldownMs,
        disableOnce: creation.disableOnce,
      },
      method: methodOf(creation) ?? 'TERMINAL',
      channels,
      targets: Object.fromEntries(
        Object.entries(targetsOf(creation)).map(([channel, target]) => [channel, target.toWellFormed()]),
      ),
      note: creation.note.toWellFormed(),
    };
  }

  async #find(owner: string, id: string): Promise<StoredAlert> {
    const alert = await this.#parts.alerts.find(owner, id);
    if (alert === null) throw noAlert();
    return alert;
  }

  async #signingSecret(owner: string): Promise<string> {
    const { secrets, wallNow } = this.#parts;
    const [secret] = await secrets.of(owner, wallNow());
    return secret;
  }

  /** Gas that savings are computed for by default. */
  get #savingsGas(): number {
    return swapGas(this.#parts.chain.rules.rules);
  }

  /** Whether the chain is known to have no blobs, so that no alert on their price ever fires. */
  get #lacksBlobs(): boolean {
    const { head, profile } = this.#parts.chain;
    return profile !== null && head !== null && blobPriceOf(head, profile) === null;
  }

  #respond(alert: StoredAlert, asker: string): Alert {
    const { chainNow, rules } = this.#parts;
    const response = alertResponse(alert, asker, chainNow(), rules);
    if (alert.rule.lane !== 'blob' || !this.#lacksBlobs) return response;
    return { ...response, warnings: [...response.warnings, { path: 'gasSpeed', message: NO_BLOBS }] };
  }
}

const NO_DELIVERY = 'this alert has no such delivery; GET the alert lists those it has';

const noAlert = () =>
  notFound('there is no such alert, or it belongs to another key; GET /alerts lists yours');

const hasWebhook = ({ channels }: StoredAlert) => channels.includes('WEBHOOK');

type Content = Pick<StoredAlert, 'rule' | 'method' | 'channels' | 'targets' | 'note'>;
