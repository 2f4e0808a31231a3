import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { titleWord } from '../../../client/views/words.ts';
import { GAS_SPEEDS } from '../../../contract/choices.ts';
import { isCostText, maxCostText, parseMaxCost } from '../../../core/auto-txs/cost-limit.ts';
import type { MaxCost } from '../../../core/auto-txs/order.ts';
import { ThresholdError } from '../../../core/threshold/threshold.ts';
import { msOfDuration } from '../../../core/time.ts';
import { formatDuration, gweiString } from '../../../core/units.ts';
import { cheaperThan } from '../../data/alert-prefill.ts';
import { choiceField, type FormField, numberProblem, textField } from '../../input/form.ts';

/** The order of a new auto-tx, as it is typed. */
export const DEFAULT_AUTO_TX_DRAFT = {
  targetGasPriceGwei: '',
  gasSpeed: 'AVERAGE',
  strictTargetPrice: 'no',
  expiresAt: '1d',
  note: '',
};
export type AutoTxDraft = Readonly<typeof DEFAULT_AUTO_TX_DRAFT>;

export function autoTxDraftOf(
  like: AutoTxView | null,
  { lanes }: SnapshotView,
  isChange = true,
): AutoTxDraft {
  // The slow lane's price comes often, and saves something.
  const usual = cheaperThan(lanes.slow.price).threshold;
  if (like === null) return { ...DEFAULT_AUTO_TX_DRAFT, targetGasPriceGwei: usual };
  const { target, gasSpeed, isStrict, note, maxCost } = like;
  return {
    targetGasPriceGwei: maxCost !== null ? maxCostText(maxCost) : target === null ? '' : gweiString(target),
    gasSpeed: gasSpeed ?? DEFAULT_AUTO_TX_DRAFT.gasSpeed,
    strictTargetPrice: isStrict === true ? 'yes' : 'no',
    expiresAt:
      isChange || like.expiresAt === null ? expiryText(like.expiresAt) : DEFAULT_AUTO_TX_DRAFT.expiresAt,
    note: note ?? '',
  };
}

function targetProblem(typed: string, mayLimit: boolean): string | null {
  if (!isCostText(typed))
    return numberProblem(typed, mayLimit ? 'gwei, $3 or 2%' : 'a price in gwei, such as 0.04');
  if (!mayLimit) return 'must be gwei: this service takes no limit of cost';
  try {
    parseMaxCost(typed);
    return null;
  } catch (error) {
    return error instanceof ThresholdError ? error.message : null;
  }
}

/** The typed limit of cost; `null`: none, or not one yet. */
export function maxCostOf(typed: string): MaxCost | null {
  return isCostText(typed) && targetProblem(typed, true) === null ? parseMaxCost(typed) : null;
}

export const fieldOf = (name: string) => (name === 'threshold' ? 'targetGasPriceGwei' : name);

/** The fields of the order, from top to bottom. */
export function autoTxFields(
  draft: AutoTxDraft,
  focus: string,
  price: string | null,
  now: number,
  mayLimit = true,
): readonly FormField[] {
  const speeds = [...new Set<string>([...GAS_SPEEDS, draft.gasSpeed])];
  const lanes = speeds.map((value) => [value, titleWord(value)] as const);
  const end = expiresAt(draft.expiresAt, now);
  const isLimit = isCostText(draft.targetGasPriceGwei);
  const hint = mayLimit
    ? 'gwei, such as 0.04; or at most $3 or 2% of its value in all'
    : 'gwei, such as 0.04';
  const isTime = TIME.test(draft.expiresAt.trim()) && focus !== 'expiresAt';
  return [
    textField('targetGasPriceGwei', 'target', hint, {
      unit: isLimit ? '' : 'gwei',
      beside: price,
      problem: targetProblem(draft.targetGasPriceGwei, mayLimit),
    }),
    // With a limit of cost its own price decides.
    ...(isLimit
      ? []
      : [
          choiceField('gasSpeed', 'lane', 'whose price has to reach the target', lanes),
          choiceField(
            'strictTargetPrice',
            'strict',
            'yes: compares its own price instead of the lane',
            NO_YES,
          ),
        ]),
    textField('expiresAt', 'expires', 'space: 1h 6h 1d 7d none; or type 2d, or a time', {
      beside: isTime && end != null && end > now ? `in ${formatDuration((end - now) / 1_000)}` : null,
      problem: end === undefined ? 'must be a time such as 6h, 1d, 2026-01-31T12:00Z, or none' : null,
      presets: EXPIRY_PRESETS,
    }),
    textField('note', 'note', 'only for you', { isProse: true }),
  ];
}

/** The order as the body of a request has it, with these fields only. */
export function autoTxBodyOf(draft: AutoTxDraft, now: number, names: readonly string[] = Object.keys(draft)) {
  const at = expiresAt(draft.expiresAt, now);
  const maxCost = maxCostOf(draft.targetGasPriceGwei);
  const target: { readonly targetGasPriceGwei?: number; readonly threshold?: MaxCost } =
    maxCost === null ? { targetGasPriceGwei: Number(draft.targetGasPriceGwei) } : { threshold: maxCost };
  const order = {
    ...target,
    gasSpeed: draft.gasSpeed,
    strictTargetPrice: draft.strictTargetPrice === 'yes',
    note: draft.note,
    expiresAt: at == null ? null : new Date(at).toISOString(),
  };
  for (const name of Object.keys(order))
    if (!names.includes(fieldOf(name))) Reflect.deleteProperty(order, name);
  const known: Partial<typeof order> = order;
  return known;
}

const NO_YES = ['no', 'yes'].map((word) => [word, word] as const);
const NEVER = 'none';
const NEVER_TYPED = /^(none|never|no|-|—)$/i;
const EXPIRY_PRESETS = [NEVER, '1h', '6h', '1d', '7d'];
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z| UTC)?$/i;

/** `6h` and `1d12h` from `now`, `2026-01-06T12:00Z` (UTC), `none`: ms since epoch, `null` for never, `undefined` for no expiry. */
export function expiresAt(typed: string, now: number): number | null | undefined {
  const bare = typed.trim();
  if (NEVER_TYPED.test(bare)) return null;
  const ms = msOfDuration(bare);
  if (ms !== null) return ms > 0 ? now + ms : undefined;
  if (!TIME.test(bare)) return undefined;
  const at = Date.parse(`${bare.replace(/(z| utc)$/i, '').replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? undefined : at;
}

function expiryText(at: number | null): string {
  if (at === null) return NEVER;
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
