import type { ChainSource } from '../chain/chain-source.ts';
import type { PriceFeed } from '../chain/price-feed.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { Database } from '../store/database.ts';
import type { MadeAttempt } from './alerts/dispatcher.ts';
import type { NotifierSettings } from './alerts/notifiers/create-notifiers.ts';
import type { Engine } from './follow/chain-state.ts';
import type { News } from './follow/follower.ts';
import type { Gate } from './http/auth.ts';
import type { LeaseOptions } from './leader.ts';

/** How fired alerts reach people here. Webhooks and Slack need no setting. */
export interface Delivery extends Partial<NotifierSettings> {
  /** Channels that there is a notifier for; an alert for another one is refused. Default: those that are set up. */
  readonly channels?: readonly string[];
  /** Told that something is to be sent at once. */
  readonly onDue?: () => void;
}

export interface ServiceOptions {
  readonly source: ChainSource;
  /** An open history, or where it is; closed when the service ends. */
  readonly database: Database | string;
  /** How far back to fill the history; default and most 30 days. */
  readonly historySec?: number;
  /** Default: the chain's own Chainlink feed, read through `source` where that is a node. */
  readonly priceFeed?: PriceFeed;
  /** Default: everybody may ask, without a key. */
  readonly gate?: Gate;
  /** What others call the service by, behind a proxy; the OpenAPI document says it. */
  readonly baseUrl?: string;
  /** Origins whose pages may ask in a browser, `*` for all. Default: none. */
  readonly cors?: readonly string[];
  /** How fired alerts are delivered. */
  readonly delivery?: Delivery;
  /** What people call this process by: `gastop serve, process 4711`. */
  readonly process?: string;
  /** Default: it stays, and writes, fires alerts and sends whenever no other process on the database does. */
  readonly role?: LeaseOptions['role'];
  /** How long a leader may store nothing until this process compares with its own node, ms. Default: a minute. */
  readonly neglectedMs?: number;
  /** Blocks that must have an auto-tx before it is final. Default: the chain's own number. */
  readonly confirmations?: number;
  /** How long a node may take to answer what is asked of one sender of auto-txs, ms. Default: 10 s. */
  readonly senderMs?: number;
  /** Whether the database outlasts the service's start, so that alerts and auto-txs may be made. Default: it does. */
  readonly keepsAlerts?: boolean;
  /** Why everything here is gone with the process, which people are told; alerts and auto-txs are refused for it. */
  readonly unsaved?: string;
  /** Told of each attempt to tell somebody of a fired alert, for a log. */
  readonly onAttempt?: (made: MadeAttempt) => void;
  readonly signal: AbortSignal;
  /** Ms since epoch. */
  readonly wallNow?: () => number;
  readonly createEngine?: (profile: ChainProfile) => Engine;
  /** Told of what goes wrong and is survived, for a log. */
  readonly onError?: (error: unknown) => void;
  /** Told when the source, or a node of several, goes away or comes back, for a log. */
  readonly onNews?: (news: News) => void;
}
