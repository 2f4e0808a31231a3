import type { Block } from './block.ts';
import type { ChainProfile } from './chains.ts';

/** Blobs of a block, and how fast their fee follows (EIP-4844, EIP-7840). */
export interface BlobSchedule {
  readonly target: number;
  readonly max: number;
  readonly baseFeeUpdateFraction: number;
}

/** One fork's part of an answer to `eth_config` (EIP-7910). */
export interface ForkConfig {
  /** Unix seconds of its first block. */
  readonly activationTime: number;
  /** `null` also where it is none that can be computed with. */
  readonly blobSchedule: BlobSchedule | null;
  /** Addresses by name, as the node states them. */
  readonly precompiles: Readonly<Record<string, string>>;
  readonly systemContracts: Readonly<Record<string, string>>;
}

/** A believable answer to `eth_config`: `next` is later than `current`. */
export interface EthConfig {
  readonly chainId: number;
  readonly current: ForkConfig;
  readonly next: ForkConfig | null;
}

/** `own`: the chain has gas rules of its own. `unknown`: no row is known to hold. */
export type ChainRulesName = 'osaka' | 'amsterdam' | 'own' | 'unknown';

export interface NextFork {
  /** Unix seconds of its first block. */
  readonly at: number;
  /** `blobs`: it changes the blob schedule alone. `unknown`: it changes rules that are not known here. */
  readonly kind: 'amsterdam' | 'blobs' | 'unknown';
  /** From then on; `null`: the node states none. */
  readonly blobSchedule: BlobSchedule | null;
}

/** The gas rules of the head block, and what is known of the next fork. */
export interface ChainRules {
  readonly rules: ChainRulesName;
  /** What tells: the head's header, the node's `eth_config`, or nothing but the chain itself. */
  readonly source: 'header' | 'eth_config' | 'none';
  /** Unix seconds of the fork whose rules hold; `null`: no node states it. */
  readonly since: number | null;
  /** `null`: none is scheduled, or the node does not say. */
  readonly next: NextFork | null;
  /** Of the head block; `null`: the node states none. */
  readonly blobSchedule: BlobSchedule | null;
}

export const NO_RULES: ChainRules = {
  rules: 'unknown',
  source: 'none',
  since: null,
  next: null,
  blobSchedule: null,
};

/** Nothing tells yet: the head is from the database, and no node has stated its forks. The next block tells. */
export const areUntold = ({ rules, source }: Pick<ChainRules, 'rules' | 'source'>): boolean =>
  rules === 'unknown' && source === 'none';

type Head = Pick<Block, 'timestamp' | 'blockAccessListHash' | 'slotNumber'>;

/**
 * The header decides: since Amsterdam it has a `blockAccessListHash` (EIP-7928). That is proof on Ethereum's own networks
 * alone: a rollup may take the field and keep its gas rules. Without a header the node's `eth_config` tells.
 * @param config the last believed answer; `null`: none
 */
export function chainRules(
  head: Head,
  chain: Pick<ChainProfile, 'id' | 'gasRules'>,
  config: EthConfig | null,
): ChainRules {
  const stated = config?.chainId === chain.id ? configAt(config, head.timestamp) : null;
  const { rules, source } = rulesAt(head, chain, stated);
  const next = stated?.next ?? null;
  // Another chain's fork may change other rules than Ethereum's of that name.
  const isOther = next?.kind === 'amsterdam' && chain.gasRules !== 'ethereum';
  const isThere = next?.kind === 'amsterdam' && rules === 'amsterdam';
  return {
    rules,
    source,
    since: stated?.since ?? null,
    next: next === null || isThere ? null : isOther ? { ...next, kind: 'unknown' } : next,
    blobSchedule: stated?.blobSchedule ?? null,
  };
}

function rulesAt(
  { blockAccessListHash, slotNumber }: Head,
  { gasRules }: Pick<ChainProfile, 'gasRules'>,
  stated: ConfigAt | null,
): Pick<ChainRules, 'rules' | 'source'> {
  if (gasRules === 'own') return { rules: 'own', source: 'none' };
  const amsterdam = gasRules === 'ethereum' ? 'amsterdam' : 'unknown';
  if (blockAccessListHash != null) {
    return stated?.isUnknown
      ? { rules: 'unknown', source: 'eth_config' }
      : { rules: amsterdam, source: 'header' };
  }
  if (slotNumber != null) return { rules: 'unknown', source: 'header' };
  if (blockAccessListHash === null) return { rules: 'osaka', source: 'header' };
  if (stated !== null && !stated.isUnknown) {
    return { rules: stated.isAmsterdam ? amsterdam : 'osaka', source: 'eth_config' };
  }
  return { rules: gasRules === 'ethereum' ? 'unknown' : 'osaka', source: 'none' };
}

/**
 * The time of the next block, Unix seconds: a block time after the head, or as many more as have passed without a block. Each of
 * those slots was missed, and the next block has the time of a later one.
 * @param headTime Unix seconds
 * @param sinceHeadMs since the head came: the clocks of the chain and of this machine may differ
 */
export function nextBlockTime(headTime: number, blockTimeSec: number, sinceHeadMs: number): number {
  const slots = blockTimeSec > 0 ? Math.ceil(sinceHeadMs / 1_000 / blockTimeSec) : 1;
  return headTime + Math.max(slots, 1) * blockTimeSec;
}

/** The rules of the block after the head. @param nextTime see {@link nextBlockTime} */
export function rulesOfNextBlock({ rules, next }: ChainRules, nextTime: number): ChainRulesName {
  if (rules === 'own' || next === null || nextTime < next.at) return rules;
  if (next.kind === 'blobs') return rules;
  return next.kind;
}

/** The blobs of the block after the head; `null`: no node states them. @param nextTime see {@link nextBlockTime} */
export const blobsOfNextBlock = (
  { next, blobSchedule }: ChainRules,
  nextTime: number,
): BlobSchedule | null => (next !== null && nextTime >= next.at ? next.blobSchedule : blobSchedule);

interface ConfigAt {
  readonly isAmsterdam: boolean;
  /** A fork after Amsterdam, whose rules are not known here. */
  readonly isUnknown: boolean;
  readonly since: number | null;
  readonly blobSchedule: BlobSchedule | null;
  readonly next: NextFork | null;
}

/** What an answer to `eth_config` says of the block with this time (Unix seconds), which may be older or newer than it. */
export function configAt({ current, next }: EthConfig, time: number): ConfigAt {
  if (time < current.activationTime) {
    // The answer is from after a fork that a reorg took back.
    const kind = isAmsterdam(current) && !isUnknown(current) ? 'amsterdam' : 'unknown';
    return {
      isAmsterdam: false,
      isUnknown: false,
      since: null,
      blobSchedule: null,
      next: forkAhead(current, kind),
    };
  }
  if (next === null || time < next.activationTime) {
    return { ...heldBy(current), next: next && forkAhead(next, kindOf(current, next)) };
  }
  const held = heldBy(next);
  return { ...held, isUnknown: held.isUnknown || kindOf(current, next) === 'unknown', next: null };
}

const heldBy = (fork: ForkConfig) => ({
  isAmsterdam: isAmsterdam(fork),
  isUnknown: isUnknown(fork),
  since: fork.activationTime,
  blobSchedule: fork.blobSchedule,
});

const forkAhead = ({ activationTime, blobSchedule }: ForkConfig, kind: NextFork['kind']): NextFork => ({
  at: activationTime,
  kind,
  blobSchedule,
});

/** Of EIP-8282, which is a part of Amsterdam. It adds no precompile. */
const AMSTERDAM_CONTRACTS = ['BUILDER_DEPOSIT_CONTRACT_ADDRESS', 'BUILDER_EXIT_CONTRACT_ADDRESS'];

const isAmsterdam = ({ systemContracts }: ForkConfig) =>
  AMSTERDAM_CONTRACTS.every((name) => systemContracts[name] !== undefined);

/** How many a fork has up to Amsterdam: more are those of a later one. */
const MOST_PRECOMPILES = 18;
const MOST_CONTRACTS = 7;

const isUnknown = ({ precompiles, systemContracts }: ForkConfig) =>
  Object.keys(precompiles).length > MOST_PRECOMPILES || Object.keys(systemContracts).length > MOST_CONTRACTS;

function kindOf(current: ForkConfig, next: ForkConfig): NextFork['kind'] {
  const added = addedNames(current.systemContracts, next.systemContracts);
  const isSame = addedNames(current.precompiles, next.precompiles)?.length === 0;
  if (!isSame || added === null) return 'unknown';
  const isAmsterdamsOwn =
    added.length === AMSTERDAM_CONTRACTS.length && AMSTERDAM_CONTRACTS.every((name) => added.includes(name));
  if (isAmsterdamsOwn) return 'amsterdam';
  const hasOtherBlobs = JSON.stringify(current.blobSchedule) !== JSON.stringify(next.blobSchedule);
  return added.length === 0 && hasOtherBlobs ? 'blobs' : 'unknown';
}

/** Names of `after` that `before` lacks; `null` where anything else changes. */
function addedNames(
  before: ForkConfig['precompiles'],
  after: ForkConfig['precompiles'],
): readonly string[] | null {
  const isKept = Object.entries(before).every(([name, address]) => after[name] === address);
  return isKept ? Object.keys(after).filter((name) => before[name] === undefined) : null;
}
