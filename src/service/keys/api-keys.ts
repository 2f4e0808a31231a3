import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ROUTE_GROUPS, type RouteGroup } from '../../contract/routes.ts';
import { KEY_ID_LENGTH, KEY_PREFIX } from '../../core/key-text.ts';
import type { KeyStore } from '../../store/api-keys.ts';
import { StoreError, type StoreErrorCode } from '../../store/errors.ts';

/** No capitals, and no letters that are easily confused: ids are typed by hand. */
const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^27 > 2^160 */
const SECRET_LENGTH = 27;
/** 62^6 > 2^32 */
const CHECK_LENGTH = 6;

const KEY = new RegExp(
  `^(?<payload>${KEY_PREFIX}(?<id>[${ID_ALPHABET}]{${KEY_ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH}})_(?<check>[0-9A-Za-z]{${CHECK_LENGTH}})$`,
);

const ID = new RegExp(`^[${ID_ALPHABET}]{${KEY_ID_LENGTH}}$`);

export interface ApiKey {
  /** Public: identifies the key in lists, on the command line and in logs. */
  readonly id: string;
  /** The whole key, with its secret of 160 bits. */
  readonly text: string;
}

export function createKeyId(): string {
  // 32 letters divide a byte evenly, so all are equally likely.
  return Array.from(randomBytes(KEY_ID_LENGTH), (byte) => ID_ALPHABET[byte % ID_ALPHABET.length]).join('');
}

export const isKeyId = (text: string): boolean => ID.test(text);

/** A new key for `id`: `gastop_<id>_<secret>_<checksum>`. */
export function createKey(id: string): ApiKey {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
  const payload = `${KEY_PREFIX}${id}_${secret}`;
  return { id, text: `${payload}_${checksum(payload)}` };
}

/** `null`: malformed. The CRC-32 tells typing errors, every wrong character and swap of neighbours, from unknown keys. */
export function readKey(text: string): ApiKey | null {
  const { payload, id, check } = KEY.exec(text)?.groups ?? {};
  if (payload === undefined || id === undefined || check !== checksum(payload)) return null;
  return { id, text };
}

/** Unlike for passwords a fast hash is safe: 2^160 secrets cannot be tried, and this runs for every request. */
export const hashKey = ({ text }: ApiKey): Buffer => hash('sha256', text, 'buffer');

function checksum(payload: string): string {
  let text = '';
  for (let rest = crc32(payload); text.length < CHECK_LENGTH; rest = Math.floor(rest / 62))
    text = BASE62.charAt(rest % 62) + text;
  return text;
}

export interface Plan {
  readonly name: string;
  /** Requests per day (UTC); `null`: unlimited. */
  readonly dailyLimit: number | null;
  /** Requests per second and key, also the burst size; `null`: unlimited. */
  readonly perSecond: number | null;
  readonly groups: readonly RouteGroup[];
  /** Whether MCP clients are offered the tools that change something. Default: no. */
  readonly mcpWrites: boolean;
}

export type Plans = ReadonlyMap<string, Plan>;

/** A plan in the settings; without `groups` it may use all routes. */
export type PlanSetting = Pick<Plan, 'dailyLimit' | 'perSecond'> &
  Partial<Pick<Plan, 'groups' | 'mcpWrites'>>;

/** One monitor on mainnet makes about 30,000 requests a day, and several at once at its start. */
const BUILT_IN: Readonly<Record<string, PlanSetting>> = {
  free: { dailyLimit: 50_000, perSecond: 20 },
  basic: { dailyLimit: 500_000, perSecond: 100 },
  pro: { dailyLimit: 5_000_000, perSecond: 500 },
};

/** The built-in plans and the operator's own, which override built-in ones of the same name. */
export function createPlans(own: Readonly<Record<string, PlanSetting>> = {}): Plans {
  const plans = Object.entries({ ...BUILT_IN, ...own }).map(([name, setting]) => {
    const { dailyLimit, perSecond, mcpWrites = false } = setting;
    const groups = ROUTE_GROUPS.filter((group) => setting.groups?.includes(group) ?? true);
    return { name, dailyLimit, perSecond, groups, mcpWrites };
  });
  return new Map(plans.map((plan) => [plan.name, plan]));
}

const secretOf = (key: ApiKey, now: number) => ({
  hash: hashKey(key).toString('hex'),
  at: Math.floor(now / 1_000),
});

/** Creates and stores a new key; the returned text is its only copy. `now` in ms. @throws {StoreError} */
export async function issueKey(
  store: KeyStore,
  { name, plan, now }: { readonly name: string; readonly plan: string; readonly now: number },
): Promise<ApiKey> {
  for (;;) {
    const key = createKey(createKeyId());
    const adding = store.add({ id: key.id, name, plan }, secretOf(key, now));
    const words = `key ${key.id} may have been made, and nobody has its secret; where ${LISTED}, revoke it with gastop keys revoke ${key.id}`;
    const isAdded = await orPerhaps(adding, words);
    if (isAdded) return key;
  }
}

/** The old secret stops working at once; `null`: no such key, or it is revoked. `now` in ms. @throws {StoreError} */
export async function reissueKey(store: KeyStore, id: string, now: number) {
  const key = createKey(id);
  const rotating = store.rotate(id, secretOf(key, now));
  const words = `the old secret of key ${id} may be void; rotate it again, or revoke it with gastop keys revoke ${id}`;
  const row = await orPerhaps(rotating, words);
  return row && { key, row };
}

/** Stops working at once, and for good; `null`: no such key, or it is revoked. `now` in ms. @throws {StoreError} */
export function retireKey(store: KeyStore, id: string, now: number) {
  const words = `key ${id} may be revoked; where ${LISTED} as active, revoke it again`;
  return orPerhaps(store.revoke(id, Math.floor(now / 1_000)), words);
}

const LISTED = 'gastop keys list has it';
const UNSURE: readonly StoreErrorCode[] = ['unreachable', 'failed'];

/** The answer of a server may be lost although it has done what it was told to. */
function orPerhaps<Result>(change: Promise<Result>, words: string): Promise<Result> {
  return change.catch((error: unknown) => {
    if (!(error instanceof StoreError) || !UNSURE.includes(error.code)) throw error;
    throw new StoreError(error.code, `${error.message}; ${words}`, { cause: error });
  });
}
