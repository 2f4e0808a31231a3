import { autoTxChecks, storedChecks, storedTransaction } from '../../../client/auto-tx-preflight.ts';
import { unknownAutoTxFields } from '../../../client/openapi.ts';
import { describeDistance, laneOf, weiOfTypedGwei } from '../../../client/views/alerts.ts';
import {
  type AutoTxView,
  type CheckView,
  describeChecks,
  describeContent,
  describeOwnFee,
  describeTarget,
  distanceToTarget,
  isPriceThere,
  obstacleOf,
  overpaysCheck,
  type PricedAutoTx,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { cannotBroadcastReason } from '../../../core/auto-txs/target.ts';
import { formatCount, formatDuration, formatGwei, formatLikelihood, shortGwei } from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import { useDescription, useMonitor, useMonitorQuery, useReach } from '../../data/queries.ts';
import type { Confirmation } from '../../input/confirm.tsx';
import { type FormField, type FormState, fieldLines, formOf } from '../../input/form.ts';
import type { FormProps } from '../../resource/resource.ts';
import {
  ResourceForm,
  type ShownProblem,
  useFormState,
  visibleLines,
} from '../../resource/resource-form.tsx';
import { wrappedLines } from '../../ui/fact-list.tsx';
import { usePane } from '../../ui/pane-context.tsx';
import { EMPTY_LINE, faint, type Line } from '../../ui/text.tsx';
import { checkLines } from './auto-tx-facts.ts';
import {
  type AutoTxDraft,
  autoTxChangeOf,
  autoTxFields,
  autoTxProblems,
  draftOf,
  expiresAt,
  newAutoTxOf,
  roleOf,
  type SignedRole,
} from './auto-tx-fields.ts';
import type { AutoTxSeed } from './auto-txs-pane.tsx';
import {
  factLines,
  type Pasted,
  pastedText,
  transactionFacts,
  transactionText,
  usePastedTransaction,
} from './pasted-transaction.ts';

/** The form of a new or changed auto-tx. The pasted text is kept only while the form is open. */
export function AutoTxForm({ seed, ...props }: FormProps<AutoTxSeed>) {
  const { snapshot, width } = usePane();
  const { edited = null, like = null, signed } = seed;
  const { client, host = null, isPlain = false, now } = useMonitor();
  const role = roleOf(edited);
  const state = useFormState('auto-tx-form', () =>
    formOf(
      draftOf(edited ?? like, snapshot, edited !== null),
      role === 'needed' ? 'signedTransaction' : 'targetGasPriceGwei',
      edited === null && like === null ? [] : ['targetGasPriceGwei', 'expiresAt', 'note'],
    ),
  );
  const { form } = state;
  const { draft, initial, focus } = form;
  const unknown = unknownAutoTxFields(useDescription());
  const pasted = usePastedTransaction(signed, draft.signedTransaction);
  const outlook = useOutlook(draft, pasted, edited, snapshot, !unknown.includes('expiresAt'));
  const { price } = outlook.judged;
  const fields = autoTxFields({ draft, signed, role, pasted, focus, price, unknown, now: now() });
  const problems = autoTxProblems(draft, initial, pasted, edited, now());
  const hasPaste = signed.length > 0;
  const isChanged = (id: keyof AutoTxDraft) => draft[id] !== initial[id];
  const change =
    edited && `${edited.status === 'DRAFT' ? 'Sign the draft' : 'Change'}: ${describeContent(edited)}`;
  return (
    <ResourceForm
      {...{ ...props, ...state, fields, problems }}
      resource="auto-tx"
      title={change ?? 'New auto-tx'}
      isChange={edited !== null}
      isDirty={hasPaste || JSON.stringify({ ...draft, signedTransaction: '' }) !== JSON.stringify(initial)}
      verb={{ done: 'scheduled', doing: 'scheduling' }}
      close={() => {
        signed.drop();
        state.close();
      }}
      // A pasted text is judged at once.
      isJudged={(id) =>
        id === 'signedTransaction' && pasted.kind !== 'nothing' ? pasted.kind !== 'reading' : undefined
      }
      save={async () => {
        if (edited === null) {
          const { id } = await client.createAutoTx(newAutoTxOf(draft, signed, now(), unknown));
          return { id };
        }
        await client.updateAutoTx(edited.id, autoTxChangeOf(draft, signed, initial, now()));
        return { id: edited.id };
      }}
      saved={describeTarget(outlook.order)}
      confirm={async () => {
        // A block may have come since the prices on the screen, and the service decides by its own.
        const { isDue } = outlook.judged;
        const latest = isDue ? snapshot : await client.gasCurrent().catch(() => snapshot);
        const isOrderNew = hasPaste || ORDER_FIELDS.some(isChanged);
        const overpays = isOrderNew ? overpaysCheck(outlook.checks ?? []) : null;
        return scheduleConfirmation(hasPaste ? host : null, isPlain, pasted, outlook, latest, overpays);
      }}
      leave={{
        what: 'it',
        lines: [hasPaste ? 'The pasted transaction is forgotten.' : 'The changes are lost.'],
        no: 'Stay',
      }}
      body={(problemOf, room) =>
        formBody({ form, pasted, outlook, edited, role, host, snapshot, width, fields }, problemOf, room)
      }
      spoken={[
        ...(pasted.kind === 'transaction' && focus === 'signedTransaction'
          ? transactionFacts(pasted.transaction, pasted.call, snapshot.nativeUsd).map(
              ({ name, value }) => `${name}: ${value}`,
            )
          : []),
        ...[price, outlook.odds].filter((words) => words !== null),
        ...(outlook.checks ?? []).map(
          ({ name, result, ok, message }) =>
            `${name}, ${SPOKEN_RESULT[result]}${result === 'pass' && ok === false ? ' with a warning' : ''}: ${message}`,
        ),
      ]}
    />
  );
}

const ORDER_FIELDS = ['targetGasPriceGwei', 'gasSpeed', 'strictTargetPrice'] as const;

const SPOKEN_RESULT = { pass: 'passes', wait: 'waits', block: 'blocks', unknown: 'unknown' } as const;

function scheduleConfirmation(
  host: string | null,
  isPlain: boolean,
  pasted: Pasted,
  { order, at }: Outlook,
  latest: SnapshotView,
  overpays: CheckView | null,
): Confirmation | null {
  const { isDue, price, pays } = at(latest);
  if (host === null && !isDue && overpays === null) return null;
  const text = pastedText(pasted);
  // New blocks come while the dialog is open; its figures stay.
  const block = latest.blockNumber === null ? '' : `After block ${formatCount(latest.blockNumber)}: `;
  const due = [`${block}${describeTarget(order)}: ${price}.`, ...(pays === null ? [] : [pays])];
  const title = isDue ? 'Send it at once?' : 'Schedule it although it pays far more?';
  return {
    title: host === null ? title : `Schedule it with ${host}?`,
    lines: [
      ...(text === null ? [] : [`${text}:`]),
      ...(pasted.kind === 'transaction' ? [transactionText(pasted.transaction)] : []),
      ...(isDue
        ? [...due, 'It is broadcast at once and cannot be recalled.']
        : [`It is broadcast at ${describeTarget(order)}.`]),
      ...(overpays === null ? [] : [`! ${overpays.message}.`]),
      ...(host === null
        ? []
        : ['This service can send it at any time, whatever the price: only use one that you trust.']),
      ...(host !== null && isPlain
        ? ['It travels unencrypted: anyone who reads it can send it; use https:// if possible.']
        : []),
    ],
    yes: isDue ? 'Send it' : 'Schedule it',
    no: 'Not yet',
  };
}

type Outlook = ReturnType<typeof useOutlook>;

function useOutlook(
  draft: AutoTxDraft,
  pasted: Pasted,
  edited: AutoTxView | null,
  snapshot: SnapshotView,
  mayExpire: boolean,
) {
  const now = useNow();
  const stored = pasted.kind === 'nothing' && edited !== null ? storedTransaction(edited) : null;
  const transaction = pasted.kind === 'transaction' ? pasted.transaction : stored;
  const bid = transaction ?? edited;
  const isStrict = draft.strictTargetPrice === 'yes';
  const order: PricedAutoTx = {
    target: weiOfTypedGwei(draft.targetGasPriceGwei),
    gasSpeed: draft.gasSpeed,
    isStrict,
    gasPrice: bid?.gasPrice ?? null,
    maxFeePerGas: bid?.maxFeePerGas ?? null,
    maxPriorityFeePerGas: bid?.maxPriorityFeePerGas ?? null,
  };
  const end = mayExpire ? expiresAt(draft.expiresAt, now) : null;
  const leftSec = end === null ? null : Math.max(Math.round((end - now) / 1_000), 0);
  const isThere = distanceToTarget(order, snapshot)?.isThere ?? false;
  const likely = useTargetReach(order, isThere, leftSec, snapshot);
  const lane = laneOf(draft.gasSpeed);
  const lanePrice = lane && snapshot.lanes[lane].price;
  const account = useSender(transaction?.from ?? null, snapshot);
  const checked = { target: order.target, lane: lane ?? 'average', isStrict, expiresAt: end } as const;
  const made =
    transaction === null || account === undefined
      ? null
      : autoTxChecks(
          { transaction, order: checked, id: edited?.id ?? null },
          { snapshot, account, lanePrice, now },
        );
  const checks = made === null || stored === null || edited === null ? made : storedChecks(made, edited);
  const isHeld = obstacleOf(checks ?? []) !== null;
  const isBlobLow = checks?.some(({ name, result }) => name === 'blob-cap' && result === 'wait') === true;
  const at = (present: SnapshotView) => {
    const canGo = !isHeld && !isBlobLow && cannotBroadcastReason(present.source.kind) === null;
    return {
      price: priceText(order, present),
      isDue: canGo && isPriceThere(order, present) && edited?.status !== 'DISABLED',
      /** Its own price, which may be far from the lane's. */
      pays: bid === null ? null : describeOwnFee(bid, present),
    };
  };
  const judged = at(snapshot);
  const isUnlikely = isThere || isHeld || pasted.kind === 'problem';
  // A transaction may pay more than its lane costs.
  const isDear = checks?.some(({ name, ok }) => name === 'cost' && ok === false) === true;
  const due = `target reached: it is broadcast at once${isDear ? ', but pays more itself' : ''}`;
  return { order, at, judged, odds: judged.isDue ? due : isUnlikely ? null : likely, checks };
}

function priceText(order: PricedAutoTx, snapshot: SnapshotView): string | null {
  const { gasSpeed, isStrict, maxFeePerGas, gasPrice } = order;
  const { lanes, nextBaseFee } = snapshot;
  const distance = distanceToTarget(order, snapshot);
  const cap = maxFeePerGas ?? gasPrice;
  // With a target above its cap, the cap decides.
  const decides = cap !== null && (order.target ?? 0n) > cap;
  if (decides && distance?.isCapped === true && nextBaseFee !== null)
    return `your cap of ${shortGwei(cap)} decides: base fee ${formatGwei(nextBaseFee)} now`;
  const what = distance?.isOfCap === true ? 'base fee' : isStrict ? 'own price' : 'now';
  if (distance !== null) return `${what} ${formatGwei(distance.price)}, ${describeDistance(distance)}`;
  const lane = laneOf(gasSpeed);
  return lane === null || isStrict ? null : `now ${formatGwei(lanes[lane].price)}`;
}

function useSender(from: string | null, snapshot: SnapshotView) {
  const { data, error } = useMonitorQuery({
    key: ['auto-tx-account', from],
    enabled: from !== null,
    ask: async (client, signal) => (from === null ? null : client.autoTxAccount(from, { signal })),
    head: snapshot,
    isSettled: (account) => account === null,
  });
  if (from === null) return undefined;
  return data === undefined && error !== null ? null : data;
}

/** The service has no longer forecast. */
const LONGEST_SEC = 86_400;

function useTargetReach(
  order: PricedAutoTx,
  isThere: boolean,
  leftSec: number | null,
  snapshot: SnapshotView,
): string | null {
  const { target } = order;
  // It never pays more than its cap, whatever the target.
  const cap = order.maxFeePerGas ?? order.gasPrice;
  const price = target === null || cap === null || target < cap ? target : cap;
  // Whole minutes: a deadline in seconds would need a new request each second.
  const withinSec = Math.min(Math.ceil((leftSec ?? LONGEST_SEC) / 60) * 60, LONGEST_SEC);
  const isWanted = price !== null && price > 0n && !isThere && withinSec > 0;
  const { data: reach } = useReach(isWanted ? price : null, withinSec, snapshot);
  if (!isWanted || reach == null) return null;
  const within =
    leftSec === null || leftSec > LONGEST_SEC ? `within ${formatDuration(withinSec)}` : 'before it expires';
  if (reach.probability !== null) return `reached ${formatLikelihood(reach.probability)} likely ${within}`;
  return reach.reason === null ? null : `how likely it is reached ${within} is not known: ${reach.reason}`;
}

interface BodyParts {
  readonly form: FormState;
  readonly fields: readonly FormField[];
  readonly pasted: Pasted;
  readonly outlook: Outlook;
  readonly edited: AutoTxView | null;
  readonly role: SignedRole;
  /** The other service that would get the signed transaction. */
  readonly host: string | null;
  readonly snapshot: SnapshotView;
  readonly width: number;
}

/** From this many rows on the transaction stays visible while the other fields are typed. */
const ROOMY_FROM = 28;
const ODDS_LINES = 2;

function formBody(parts: BodyParts, problemOf: ShownProblem, rows: number): readonly Line[] {
  const { form, fields, outlook, width } = parts;
  const isRoomy = rows >= ROOMY_FROM;
  const isPasting = form.focus === 'signedTransaction';
  const blocks = fields.map((field) => [
    ...fieldLines(field, form, problemOf(field.id), width),
    ...(field.kind === 'pasted' && (isRoomy || isPasting) ? pastedLines(parts, isRoomy) : []),
  ]);
  const place = Math.max(
    fields.findIndex(({ id }) => id === form.focus),
    0,
  );
  if (isPasting && !isRoomy) {
    const shown = visibleLines([blocks[place] ?? []], 0, rows);
    // Ctrl-S schedules from this field, too.
    const { price } = outlook.judged;
    const order = `   at ${describeTarget(outlook.order)}${price === null ? '' : `, ${price}`}`;
    const isOrderShown = parts.pasted.kind === 'transaction' && shown.length < rows;
    const lines = isOrderShown ? [...shown, [{ text: order }]] : shown;
    const open = (outlook.checks ?? []).filter(({ result, ok }) => ok === false || result === 'wait');
    return [...lines, ...preflightLines(open, width, rows - lines.length)];
  }
  const odds = wrappedLines(outlook.odds, width, { most: ODDS_LINES });
  const room = Math.max(rows - odds.length, 1);
  const lines = visibleLines(blocks, place, room);
  const gap = isRoomy && room > lines.length ? [EMPTY_LINE] : [];
  const left = room - lines.length - gap.length;
  return [...lines, ...gap, ...odds, ...preflightLines(outlook.checks ?? [], width, left)];
}

function pastedLines(parts: BodyParts, isRoomy: boolean): readonly Line[] {
  const { form, pasted, snapshot, width } = parts;
  const gap = isRoomy ? [EMPTY_LINE] : [];
  if (pasted.kind === 'transaction') {
    const facts = transactionFacts(pasted.transaction, pasted.call, snapshot.nativeUsd);
    return [...factLines(facts, width), ...gap];
  }
  if (pasted.kind !== 'nothing' || form.focus !== 'signedTransaction') return [];
  const { role, edited, host } = parts;
  const first =
    role === 'replaces'
      ? 'A transaction pasted here replaces the pending one.'
      : edited === null
        ? 'Sign the transaction in your wallet without sending it, and paste it: 0x and many digits.'
        : `The draft: ${describeContent(edited)}. Sign exactly that, with any nonce and fees, and paste it.`;
  const guide = [
    first,
    `It is checked here and never shown. ${host ?? 'gastop'} keeps it and broadcasts it at your target; until then you can cancel it.`,
    'Never paste a private key or a recovery phrase.',
  ];
  return [
    EMPTY_LINE,
    ...guide.flatMap((text) =>
      wrappedLines(text, width, { indent: '   ', most: GUIDE_LINES, look: { faint: true } }),
    ),
    ...gap,
  ];
}

const GUIDE_LINES = 4;

function rankOf({ name, result, ok }: CheckView): number {
  if (result === 'block') return 0;
  if (ok === false) return 1;
  if (result === 'wait') return 2;
  if (result === 'unknown') return 3;
  return name === 'cost' ? 4 : 5;
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
