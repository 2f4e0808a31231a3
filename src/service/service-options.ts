import type { ChainSource } from '../chain/chain-source.ts';
import type { PriceFeed } from '../chain/price-feed.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { Database } from '../store/database.ts';
import type { MadeAttempt, NotifierSettings } from './alerts/dispatcher.ts';
import type { Engine } from './follow/chain-state.ts';
import type { News } from './follow/follower.ts';
import type { Gate } from './http/auth.ts';
import type { KeyGate } from './keys/key-gate.ts';
import type { LeaseOptions } from './leader.ts';

export interface ServiceOptions {
  readonly source: ChainSource;
  /** An open history, or its location; closed when the service ends. */
  readonly database: Database | string;
  /** How far back to fill the history; default and most 30 days. */
  readonly historySec?: number;
  /** Default: the chain's own Chainlink feed, read through `source` if that is a node. */
  readonly priceFeed?: PriceFeed;
  /** Default: no API key needed. */
  readonly gate?: Gate & Partial<Pick<KeyGate, 'identify'>>;
  /** Public URL of the service behind a proxy, for the OpenAPI document. */
  readonly baseUrl?: string;
  /** Origins whose pages may use the service in a browser, `*` for all. Default: none. */
  readonly cors?: readonly string[];
  /** How fired alerts are delivered. */
  readonly delivery?: Partial<NotifierSettings>;
  /** Display name of this process: `gastop serve, process 4711`. */
  readonly process?: string;
  /** Default: it stays, and becomes the leader when no other process on the database is. */
  readonly role?: LeaseOptions['role'];
  /** How long a leader may store nothing until this process compares with its own node, ms. Default: a minute. */
  readonly neglectedMs?: number;
  /** Confirmations that make an auto-tx final. Default: the chain's number. */
  readonly confirmations?: number;
  /** Time limit for requests to a node about one sender of auto-txs, ms. Default: 10 s. */
  readonly senderMs?: number;
  /** Whether the database outlasts the start, so that alerts and auto-txs may be created. Default: it does. */
  readonly keepsAlerts?: boolean;
  /** Why everything here is lost with the process, for people; alerts and auto-txs are refused with it. */
  readonly unsaved?: string;
  /** Called with each delivery attempt of a fired alert, for a log. */
  readonly onAttempt?: (made: MadeAttempt) => void;
  readonly signal: AbortSignal;
  /** Ms since epoch. */
  readonly wallNow?: () => number;
  readonly createEngine?: (profile: ChainProfile) => Engine;
  /** Receives errors that the service survives, for a log. */
  readonly onError?: (error: unknown) => void;
  /** Called when the source, or one of several nodes, fails or recovers, for a log. */
  readonly onNews?: (news: News) => void;
}
