import {
  type AskedSender,
  askSender,
  judgeAutoTx,
  orderOf,
  storedTransaction,
} from '../../../client/auto-tx-preflight.ts';
import { unknownAutoTxFields } from '../../../client/openapi.ts';
import { describeDistance, laneOf, titleWord, weiOfTypedGwei } from '../../../client/views/alerts.ts';
import {
  describeChecks,
  describeContent,
  describeOwnFee,
  describeSigned,
  describeTarget,
  sizeText,
} from '../../../client/views/auto-tx-texts.ts';
import {
  type AutoTxView,
  type CheckView,
  distanceToTarget,
  isSentAtOnce,
  obstacleOf,
  overpaysCheck,
  type PricedAutoTx,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas-responses.ts';
import { checkAutoTxUpdate } from '../../../contract/auto-txs.ts';
import { GAS_SPEEDS } from '../../../contract/choices.ts';
import { isCostText, maxCostText, parseMaxCost } from '../../../core/auto-txs/cost-limit.ts';
import { changedOrder, type MaxCost } from '../../../core/auto-txs/order.ts';
import { callDifferences } from '../../../core/auto-txs/stored-auto-tx.ts';
import {
  cannotBroadcastReason,
  FORECAST_SEC,
  forecastPrice,
  forecastWithin,
} from '../../../core/auto-txs/target.ts';
import { ThresholdError } from '../../../core/threshold/threshold.ts';
import { msOfDuration } from '../../../core/time.ts';
import {
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  gweiString,
  shortGwei,
} from '../../../core/units.ts';
import { cheaperThan } from '../../data/alert-prefill.ts';
import { useMonitor, useShownSnapshot } from '../../data/monitor-context.ts';
import { useMonitorQuery } from '../../data/polled-query.ts';
import { useDescription, useReach } from '../../data/queries.ts';
import type { Confirmation } from '../../input/confirm.tsx';
import {
  changedIn,
  choiceField,
  type FormField,
  formOf,
  formProblems,
  numberProblem,
  textField,
} from '../../input/form.ts';
import { ResourceForm, useFormState } from '../../resource/resource-form.tsx';
import type { FormProps } from '../../resource/resource-pane.tsx';
import { factGrid, factOf, toldFacts, wrappedLines } from '../../ui/fact-list.tsx';
import { useNow, usePane, usePaneMemory, useRoom } from '../../ui/pane-context.tsx';
import { EMPTY_LINE, faint, type Line, plain } from '../../ui/text.tsx';
import { checkLines } from './auto-tx-facts.ts';
import { NOTHING_PASTED, type Pasted, READING, transactionText, usePastedTransaction } from './pasted.ts';

const SIGNED = 'signedTransaction';
const ORDER_FIELDS = ['targetGasPriceGwei', 'gasSpeed', 'strictTargetPrice'];

/** The form of a new or changed auto-tx. The pasted text stays only while the form is open. */
export function AutoTxForm({ seed, onLeave, onSaved }: FormProps<AutoTxView>) {
  const { like = null, isChange = false } = seed;
  const { snapshot, width } = usePane();
  const { rows } = useRoom();
  const { client, host = null, isPlain = false, now } = useMonitor();
  const edited = isChange ? like : null;
  const role = roleOf(edited);
  const state = useFormState('auto-tx-form', () =>
    formOf(
      draftOf(like, snapshot, isChange),
      role === 'needed' ? SIGNED : 'targetGasPriceGwei',
      like === null ? [] : ['targetGasPriceGwei', 'expiresAt', 'note'],
    ),
  );
  const [signed, setSigned] = usePaneMemory('auto-tx-signed', NOTHING_PASTED);
  const { focus } = state.form;
  const draft: AutoTxDraft = { ...NEW_ORDER, ...state.form.draft };
  const unknown: readonly string[] = unknownAutoTxFields(useDescription());
  const pasted = usePastedTransaction(signed);
  const { text, transaction } = pasted;
  const mayExpire = !unknown.includes('expiresAt');
  const outlook = useOutlook(draft, pasted, edited, snapshot, { mayExpire, isOwn: host === null });
  const { order, checks, odds, price } = outlook;
  const isRoomy = rows >= ROOMY_FROM;
  const isPasting = focus === SIGNED;
  const isAlone = isPasting && !isRoomy;
  const gap = isRoomy ? [EMPTY_LINE] : [];
  const guide = isPasting && text === null ? guideLines(edited, host, width) : [];
  const facts = isRoomy || isPasting ? [...guide, ...pastedFacts(pasted, snapshot, width)] : [];
  const paste: FormField = {
    id: SIGNED,
    label: 'signed',
    hint: role === 'replaces' ? 'paste another one to replace it' : 'paste it here; it is never shown',
    kind: 'pasted',
    isEmpty: signed.length === 0,
    description: text === null ? null : [{ text, bold: transaction !== null }],
    beside: transaction && (isPasting ? '' : transactionText(transaction)),
    problem: role === 'needed' || text !== null ? pastedProblem(pasted, edited) : null,
    isJudged: text === null ? undefined : pasted !== READING,
    under: facts.length === 0 ? [] : [...facts, ...gap],
    isAlone,
    add: (more) => setSigned((before) => before.with(more)),
    drop: () => setSigned(NOTHING_PASTED),
  };
  const fields = [
    ...(role === 'needed' ? [paste] : []),
    ...autoTxFields(draft, focus, price, now(), !unknown.includes('threshold')),
    ...(role === 'replaces' ? [paste] : []),
  ].filter(({ id }) => !unknown.includes(id));
  const hasPaste = signed.length > 0;
  const bytes = hasPaste ? { signedTransaction: signed.read() } : {};
  const changed = changedIn(state.form);
  // An expiry that stays may have passed meanwhile, and is not sent again.
  const sent = edited === null ? Object.keys(draft).filter((id) => !unknown.includes(id)) : changed;
  const what =
    edited && `${edited.status === 'DRAFT' ? 'Sign the draft' : 'Change'}: ${describeContent(edited)}`;
  // Ctrl-S schedules from this field, too.
  const at = plain(`   once ${describeTarget(order)}${price === null ? '' : `, ${price}`}`);
  const below = isAlone
    ? transaction
      ? [[at]]
      : []
    : [...gap, ...wrappedLines(odds, width, { most: ODDS_LINES })];
  return (
    <ResourceForm
      {...{ ...state, onLeave, fields, isChange, below }}
      resource="auto-tx"
      title={what ?? 'New auto-tx'}
      problems={formProblems(fields, checkAutoTxUpdate(requestOf(draft, now(), sent), now()), fieldOf)}
      fieldOf={fieldOf}
      close={() => {
        setSigned(NOTHING_PASTED);
        state.close();
      }}
      save={async () => {
        const body = { ...bytes, ...requestOf(draft, now(), sent) };
        if (edited !== null) {
          await client.updateAutoTx(edited.id, body);
          return { id: edited.id };
        }
        return client.createAutoTx(body);
      }}
      onSaved={({ id }) => onSaved(id)}
      saved={describeTarget(order)}
      confirm={async () => {
        // A block may have come since the prices on the screen, and the service decides by its own.
        const latest = outlook.isDue ? snapshot : await client.gasCurrent().catch(() => snapshot);
        const isOrderNew = hasPaste || ORDER_FIELDS.some((id) => changed.includes(id));
        const overpays = isOrderNew ? overpaysCheck(checks) : null;
        return scheduleConfirmation(hasPaste ? host : null, isPlain, pasted, outlook, latest, overpays);
      }}
      lost={[hasPaste ? 'The pasted transaction is forgotten.' : 'The changes are lost.']}
      rest={(room) => {
        // A service refuses it with the words of the check.
        const refusal = state.form.refusals[SIGNED] ?? '';
        const open = checks.filter(({ result, ok, message }) =>
          result === 'block' ? !refusal.includes(message) : !isAlone || ok === false || result === 'wait',
        );
        return preflightLines(open, width, room);
      }}
    />
  );
}

function scheduleConfirmation(
  host: string | null,
  isPlain: boolean,
  { text, transaction }: Pasted,
  { order, at }: Outlook,
  latest: SnapshotView,
  overpays: CheckView | null,
): Confirmation | null {
  const { isDue, price, pays } = at(latest);
  if (host === null && !isDue && overpays === null) return null;
  // New blocks come while the dialog is open; its figures stay.
  const block = latest.blockNumber === null ? '' : `After block ${formatCount(latest.blockNumber)}: `;
  const title = isDue ? 'Send it at once?' : 'Schedule it although it pays far more?';
  const target = describeTarget(order);
  const lines = [
    text && `${text}:`,
    transaction && transactionText(transaction),
    isDue ? `${block}${target}: ${price}.` : `It is broadcast at ${target}.`,
    isDue && pays,
    isDue && 'It is broadcast at once and cannot be recalled.',
    overpays && `! ${overpays.message}.`,
    host && 'This service can send it at any time, whatever the price: only use one that you trust.',
    host && isPlain && 'It travels unencrypted: anyone who reads it can send it; use https:// if possible.',
  ];
  return {
    title: host === null ? title : `Schedule it with ${host}?`,
    lines: lines.filter((line) => typeof line === 'string'),
    yes: isDue ? 'Send it' : 'Schedule it',
    no: 'Not yet',
  };
}

const NOT_ASKED: AskedSender = { account: null, rules: null, gas: null };

type Outlook = ReturnType<typeof useOutlook>;

/** What would become of the order now: its pre-flight checks, its price, and how likely that comes. */
function useOutlook(
  draft: AutoTxDraft,
  pasted: Pasted,
  edited: AutoTxView | null,
  snapshot: SnapshotView,
  { mayExpire, isOwn }: { readonly mayExpire: boolean; readonly isOwn: boolean },
) {
  const now = useNow();
  const stored = pasted.text === null && edited !== null ? storedTransaction(edited) : null;
  const transaction = pasted.transaction ?? stored;
  const bid = transaction ?? edited;
  const { gasPrice = null, maxFeePerGas = null, maxPriorityFeePerGas = null } = bid ?? {};
  const { gasSpeed } = draft;
  const maxCost = maxCostOf(draft.targetGasPriceGwei);
  const end = mayExpire ? (expiresAt(draft.expiresAt, now) ?? null) : null;
  const leftSec = end === null ? null : Math.max(Math.round((end - now) / 1_000), 0);
  const lane = laneOf(gasSpeed);
  const from = transaction?.from ?? null;
  // A limit that stays has the price that the service has worked out.
  const before = orderOf(maxCost === null ? null : edited);
  const change = {
    target: maxCost === null ? (weiOfTypedGwei(draft.targetGasPriceGwei) ?? undefined) : undefined,
    maxCost: maxCost ?? undefined,
    lane: lane ?? 'average',
    isStrict: draft.strictTargetPrice === 'yes',
    expiresAt: end,
  };
  const asked = changedOrder(before, change, pasted.text !== null);
  const { data: sender, error } = useMonitorQuery({
    key: ['auto-tx-sender', from, transaction?.hash, maxCost !== null],
    enabled: from !== null,
    ask: async (client, signal) =>
      transaction === null ? NOT_ASKED : askSender(client, { transaction, order: asked }, { signal }, isOwn),
    head: snapshot,
    isSettled: (answer) => answer.account === null,
  });
  const told = { snapshot, sender: sender ?? NOT_ASKED, now };
  const judged = judgeAutoTx(
    {
      transaction,
      order: asked,
      id: edited?.id ?? null,
      stored: stored && edited,
      hasOwnLane: lane === null,
    },
    told,
  );
  const { target, isStrict, costLimit } = judged.order;
  const checks = sender === undefined && error === null ? [] : judged.checks;
  const bids = { gasPrice, maxFeePerGas, maxPriorityFeePerGas };
  const order = {
    target,
    gasSpeed,
    isStrict,
    maxCost,
    thresholdReason: costLimit?.reason ?? null,
    ...bids,
  };
  const isThere = distanceToTarget(order, snapshot)?.isThere ?? false;
  const likely = useTargetReach(order, isThere, leftSec);
  const isHeld = obstacleOf(checks) !== null;
  const at = (present: SnapshotView) => {
    const canGo = cannotBroadcastReason(present.source.kind) === null && edited?.status !== 'DISABLED';
    return {
      price: priceText(order, present),
      isDue: canGo && isSentAtOnce(distanceToTarget(order, present), checks),
      /** Its own price, which may be far from the lane's. */
      pays: bid === null ? null : describeOwnFee(bid, present),
    };
  };
  const present = at(snapshot);
  const isUnlikely = isThere || isHeld || (pasted.text !== null && pasted.transaction === null);
  // A transaction may pay more than its lane costs.
  const isDear = checks.some(({ name, ok }) => name === 'cost' && ok === false);
  const due = `target reached: it is broadcast at once${isDear ? ', but pays more itself' : ''}`;
  return { order, at, ...present, odds: present.isDue ? due : isUnlikely ? null : likely, checks };
}

function priceText(order: PricedAutoTx, snapshot: SnapshotView): string | null {
  const { maxCost = null, target, thresholdReason } = order;
  if (maxCost === null) return gweiPriceText(order, snapshot);
  if (target === null) return thresholdReason ?? null;
  const distance = distanceToTarget(order, snapshot);
  return `${shortGwei(target)} gwei now${distance === null ? '' : `, ${describeDistance(distance)}`}`;
}

function gweiPriceText(order: PricedAutoTx, snapshot: SnapshotView): string | null {
  const { gasSpeed, isStrict, maxFeePerGas, gasPrice } = order;
  const { lanes, nextBaseFee } = snapshot;
  const distance = distanceToTarget(order, snapshot);
  const cap = maxFeePerGas ?? gasPrice;
  // With a target above its cap, the cap decides.
  const decides = cap !== null && (order.target ?? 0n) > cap;
  if (decides && distance?.isCapped === true && nextBaseFee !== null)
    return `your cap of ${shortGwei(cap)} decides: base fee ${formatGwei(nextBaseFee)} now`;
  const what = distance?.isOfCap === true ? 'base fee' : isStrict ? 'its own price' : 'now';
  if (distance !== null) return `${what} ${formatGwei(distance.price)}, ${describeDistance(distance)}`;
  const lane = laneOf(gasSpeed);
  return lane === null || isStrict ? null : `now ${formatGwei(lanes[lane].price)}`;
}

function useTargetReach(order: PricedAutoTx, isThere: boolean, leftSec: number | null): string | null {
  const { target, gasSpeed, isStrict, ...bid } = order;
  const { baseFee, nextBaseFee, lanes } = useShownSnapshot();
  const prices = { nextBaseFee: nextBaseFee ?? baseFee, averagePrice: lanes.average.price };
  const lane = laneOf(gasSpeed) ?? 'average';
  const signed = (bid.maxFeePerGas ?? bid.gasPrice) === null ? null : bid;
  const price =
    target && forecastPrice({ target, lane, isStrict: isStrict === true, costLimit: null }, signed, prices);
  const withinSec = forecastWithin(leftSec);
  const isWanted = price !== null && price > 0n && !isThere && withinSec > 0;
  const { data: reach } = useReach(isWanted ? price : null, withinSec);
  if (!isWanted || reach == null) return null;
  const isToTheEnd = leftSec !== null && leftSec <= FORECAST_SEC;
  const within = isToTheEnd ? 'before it expires' : `within ${formatDuration(withinSec)}`;
  if (reach.probability !== null) return `reached ${formatLikelihood(reach.probability)} likely ${within}`;
  return reach.reason === null ? null : `how likely it is reached ${within} is not known: ${reach.reason}`;
}

/** From this many rows on the transaction stays visible while the other fields are typed. */
const ROOMY_FROM = 29;
const ODDS_LINES = 2;
const GUIDE_LINES = 4;
/** The delegation is listed before the call, and neither may hide the other. */
const CALL_LINES = 5;
const MUCH_DATA = 1_000;
const FACT_ROOM = 9;
const INDENT = '  ';

function pastedFacts({ transaction, call }: Pasted, snapshot: SnapshotView, width: number): readonly Line[] {
  if (transaction === null) return [];
  const bytes = (transaction.data.length - 2) / 2;
  const data = bytes < MUCH_DATA ? '' : `; ${sizeText(bytes)} of data`;
  const room = width - FACT_ROOM - 2 * INDENT.length - 2;
  const texts = (text: string) => wrappedLines(text, room, { indent: '', most: CALL_LINES });
  const does = factOf(texts(`${call ?? 'unknown: its data is no known call'}${data}`), 'does');
  const facts = [...toldFacts(describeSigned(transaction, snapshot), width)];
  if (transaction.chainId === null)
    facts.push(...factOf(texts('any: it names none, so it can be sent on every chain'), 'chain'));
  facts.splice(3, 0, ...does);
  return factGrid(facts, width, FACT_ROOM).map((line) => [plain(INDENT), ...line]);
}

function guideLines(edited: AutoTxView | null, host: string | null, width: number): readonly Line[] {
  const first =
    roleOf(edited) === 'replaces'
      ? 'A transaction pasted here replaces the pending one.'
      : edited === null
        ? 'Sign the transaction in your wallet without sending it, and paste it: 0x and many digits.'
        : `The draft: ${describeContent(edited)}. Sign exactly that, with any nonce and fees, and paste it.`;
  const guide = [
    first,
    `It is checked here and never shown. ${host ?? 'gastop'} keeps it and broadcasts it at your target; until then you can cancel it.`,
    'Never paste a private key or a recovery phrase.',
  ];
  const lines = guide.flatMap((text) =>
    wrappedLines(text, width, { indent: '   ', most: GUIDE_LINES, look: { faint: true } }),
  );
  return [EMPTY_LINE, ...lines];
}

function rankOf({ name, result, ok }: CheckView): number {
  if (result === 'pass') return ok === false ? 1 : name === 'cost' ? 4 : 5;
  return result === 'block' ? 0 : ok === false ? 1 : result === 'wait' ? 2 : 3;
}

/** As many checks as fit: those that need attention first, then the cost; the others are counted. */
function preflightLines(checks: readonly CheckView[], width: number, room: number): readonly Line[] {
  const ranked = checks.toSorted((one, other) => rankOf(one) - rankOf(other));
  for (let shown = ranked.length; shown >= 0; shown--) {
    const lines = checkLines(ranked.slice(0, shown), width);
    const rest = ranked.slice(shown);
    const words = `${rest.length} more ${rest.length === 1 ? 'check' : 'checks'}, ${describeChecks(rest)}`;
    if (rest.length > 0) lines.push([faint(`   … ${words}`)]);
    if (lines.length <= room) return lines;
  }
  return [];
}

const NEW_ORDER = {
  targetGasPriceGwei: '',
  gasSpeed: 'AVERAGE',
  strictTargetPrice: 'no',
  expiresAt: '1d',
  note: '',
};
type AutoTxDraft = Readonly<typeof NEW_ORDER>;

export function draftOf(like: AutoTxView | null, { lanes }: SnapshotView, isChange = true): AutoTxDraft {
  // The slow lane's price comes often, and saves something.
  const usual = cheaperThan(lanes.slow.price).threshold;
  if (like === null) return { ...NEW_ORDER, targetGasPriceGwei: usual };
  const { target, gasSpeed, isStrict, note, maxCost } = like;
  return {
    targetGasPriceGwei: maxCost !== null ? maxCostText(maxCost) : target === null ? '' : gweiString(target),
    gasSpeed: gasSpeed ?? NEW_ORDER.gasSpeed,
    strictTargetPrice: isStrict === true ? 'yes' : 'no',
    expiresAt: isChange || like.expiresAt === null ? expiryText(like.expiresAt) : NEW_ORDER.expiresAt,
    note: note ?? '',
  };
}

/** What the form does with a signed transaction: one that was broadcast may be mined, whatever is signed later. */
function roleOf(edited: AutoTxView | null): 'needed' | 'replaces' | 'none' {
  if (edited === null || edited.status === 'DRAFT') return 'needed';
  const isWaiting = edited.status === 'PENDING' || edited.status === 'DISABLED';
  return isWaiting && edited.attempts === 0 && edited.submittedAt === null ? 'replaces' : 'none';
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
function maxCostOf(typed: string): MaxCost | null {
  return isCostText(typed) && targetProblem(typed, true) === null ? parseMaxCost(typed) : null;
}

const fieldOf = (name: string) => (name === 'threshold' ? 'targetGasPriceGwei' : name);

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

/** The order as a request has it, with these fields only. */
export function requestOf(draft: AutoTxDraft, now: number, names: readonly string[] = Object.keys(draft)) {
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

function pastedProblem({ transaction, problem }: Pasted, edited: AutoTxView | null): string | null {
  if (transaction === null || edited?.status !== 'DRAFT') return problem;
  const differs = callDifferences(transaction, edited).map(({ field }) => field);
  if (differs.length === 0) return null;
  return `is of another transaction than the draft: ${differs.join(', ')} differ${differs.length === 1 ? 's' : ''}`;
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
