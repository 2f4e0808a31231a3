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
import { useToast } from '../../chrome/toast.tsx';
import { useSaveAutoTx } from '../../data/mutations.ts';
import { useDescription, useMonitor, usePolledQuery, useReach } from '../../data/queries.ts';
import { type FormField, type FormState, fieldLines, formOf } from '../../input/form.ts';
import { ResourceForm, type SaidProblem, useFormState, visibleLines } from '../../resource/resource-form.tsx';
import type { Confirmation, FormProps } from '../../resource/types.ts';
import { EMPTY_LINE, type Line, wrapText } from '../../ui/text.tsx';
import { type Theme, useTheme } from '../../ui/theme.ts';
import { checkLines } from './auto-tx-facts.ts';
import {
  type AutoTxDraft,
  autoTxChangeOf,
  autoTxFieldOf,
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

/** The form of a new auto-tx, or of one that is changed. The pasted text is kept only as long as the form is open. */
export function AutoTxForm(props: FormProps<AutoTxSeed>) {
  const { snapshot, columns, rows, seed, onLeave, onSaved } = props;
  const { edited = null, like = null } = seed;
  const theme = useTheme();
  const toast = useToast();
  const { client, host = null, isPlain = false, now } = useMonitor();
  const save = useSaveAutoTx();
  const role = roleOf(edited);
  const { form, edit, close } = useFormState('auto-tx-form', () => {
    const draft = draftOf(edited ?? like, snapshot, edited !== null);
    return formOf(draft, role === 'needed' ? 'signed' : 'target', {
      text: draft.target,
      dirty: edited === null && like === null ? [] : ['target', 'expires', 'note'],
    });
  });
  const { draft, initial } = form;
  const unknown = unknownAutoTxFields(useDescription());
  const pasted = usePastedTransaction(draft.signed, draft.pastes);
  const outlook = useOutlook(draft, pasted, edited, snapshot, !unknown.includes('expiresAt'));
  const { focus } = form;
  const fields = autoTxFields({ draft, role, pasted, focus, price: outlook.price, unknown, now: now() });
  const problems = autoTxProblems(draft, initial, pasted, edited, now());
  const isDirty =
    draft.signed.length > 0 ||
    JSON.stringify({ ...draft, pastes: 0 }) !== JSON.stringify({ ...initial, pastes: 0 });
  const isChange = edited !== null && edited.status !== 'DRAFT';
  const finish = (then: () => void) => {
    draft.signed.drop();
    close();
    then();
  };
  const parts = { form, pasted, outlook, edited, role, host, snapshot, width: columns, theme, fields };
  const title =
    edited === null ? 'New auto-tx' : `${isChange ? 'Change' : 'Sign the draft'}: ${describeContent(edited)}`;
  return (
    <ResourceForm
      scope="auto-tx-form"
      title={title}
      columns={columns}
      rows={rows}
      form={form}
      edit={edit}
      fields={fields}
      problems={problems}
      isJudged={(id) => {
        if (id !== 'signed' || pasted.kind === 'nothing') return undefined;
        // A pasted text is judged at once.
        return pasted.kind !== 'reading';
      }}
      did={edited === null ? 'scheduled' : 'changed'}
      send={async () => {
        const id = await save(
          edited === null
            ? { kind: 'create', autoTx: newAutoTxOf({ draft }, now(), unknown) }
            : { kind: 'update', id: edited.id, change: autoTxChangeOf(draft, initial, now()) },
        );
        const text = `${edited === null ? 'Scheduled' : 'Changed'}: ${describeTarget(outlook.order)}`;
        toast({ kind: 'info', text });
        finish(() => onSaved({ id, isChange: edited !== null }));
      }}
      confirm={async () => {
        // A block may have come since the prices on the screen, and the service judges by its own.
        const latest = outlook.isDue ? snapshot : await client.gasCurrent().catch(() => snapshot);
        const judged = { ...outlook, ...outlook.at(latest), latest };
        const isOrderNew = ORDER_FIELDS.some((field) => draft[field] !== initial[field]);
        const overpays = draft.signed.length > 0 || isOrderNew ? overpaysCheck(judged.checks ?? []) : null;
        return scheduleQuestion(draft.signed.length > 0 ? host : null, isPlain, pasted, judged, overpays);
      }}
      unchanged={edited !== null && !isDirty ? 'Nothing is changed yet' : null}
      fieldOfPath={autoTxFieldOf}
      leave={{
        title: edited === null ? 'Leave without scheduling it?' : 'Leave without changing it?',
        lines: [draft.signed.length > 0 ? 'The pasted transaction is forgotten.' : 'The changes are lost.'],
        yes: 'Leave',
        no: 'Stay',
      }}
      isDirty={isDirty}
      onLeave={() => finish(onLeave)}
      body={(said, room) => formBody(parts, said, room)}
      spoken={[
        ...(pasted.kind === 'transaction' && form.focus === 'signed'
          ? transactionFacts(pasted.transaction, pasted.call, snapshot.nativeUsd).map(
              ({ name, value }) => `${name}: ${value}`,
            )
          : []),
        ...[outlook.price, outlook.odds].filter((words) => words !== null),
        ...(outlook.checks ?? []).map(
          ({ name, result, ok, message }) =>
            `${name}, ${SPOKEN_RESULT[result]}${result === 'pass' && ok === false ? ' with a warning' : ''}: ${message}`,
        ),
      ]}
    />
  );
}

/** What decides how much it pays. */
const ORDER_FIELDS = ['target', 'gasSpeed', 'isStrict'] as const;

const SPOKEN_RESULT = { pass: 'passes', wait: 'waits', block: 'blocks', unknown: 'unknown' } as const;

/**
 * Asked before another service (`host`) gets a signed transaction, and before one is scheduled whose target is reached
 * already, or that pays far more itself than its target; `null`: none is the case.
 */
function scheduleQuestion(
  host: string | null,
  isPlain: boolean,
  pasted: Pasted,
  { order, isDue, price, pays, latest }: Outlook & { readonly latest: SnapshotView },
  overpays: CheckView | null,
): Confirmation | null {
  if (host === null && !isDue && overpays === null) return null;
  const text = pastedText(pasted);
  // Blocks come while it is asked, and its figures stay.
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

/** What follows from the draft at some prices. */
interface Judged {
  /** `now 0.0507, has to fall 21 %` */
  readonly price: string | null;
  /** It would be broadcast at once. */
  readonly isDue: boolean;
  /** What it then pays itself, which may be far from the lane's price. */
  readonly pays: string | null;
}

/** What follows from the draft. */
interface Outlook extends Judged {
  readonly order: PricedAutoTx;
  readonly at: (snapshot: SnapshotView) => Judged;
  /** How likely the target is reached, or that it is. */
  readonly odds: string | null;
  readonly checks: readonly CheckView[] | null;
}

function useOutlook(
  draft: AutoTxDraft,
  pasted: Pasted,
  edited: AutoTxView | null,
  snapshot: SnapshotView,
  mayExpire: boolean,
): Outlook {
  const now = useNow();
  const stored = pasted.kind === 'nothing' && edited !== null ? storedTransaction(edited) : null;
  const transaction = pasted.kind === 'transaction' ? pasted.transaction : stored;
  const bid = transaction ?? edited;
  const order: PricedAutoTx = {
    target: weiOfTypedGwei(draft.target),
    gasSpeed: draft.gasSpeed,
    isStrict: draft.isStrict,
    gasPrice: bid?.gasPrice ?? null,
    maxFeePerGas: bid?.maxFeePerGas ?? null,
    maxPriorityFeePerGas: bid?.maxPriorityFeePerGas ?? null,
  };
  const end = mayExpire ? expiresAt(draft.expires, now) : null;
  const leftSec = end === null ? null : Math.max(Math.round((end - now) / 1_000), 0);
  const distance = distanceToTarget(order, snapshot);
  const isThere = distance?.isThere ?? false;
  const likely = useTargetReach(order, isThere, leftSec, snapshot);
  const lane = laneOf(draft.gasSpeed);
  const lanePrice = lane === null ? null : snapshot.lanes[lane].price;
  const account = useSender(transaction?.from ?? null, snapshot);
  const made =
    transaction === null || account === undefined
      ? null
      : autoTxChecks(
          {
            transaction,
            order: {
              target: order.target,
              lane: lane ?? 'average',
              isStrict: draft.isStrict,
              expiresAt: end,
            },
            id: edited?.id ?? null,
          },
          { snapshot, account, lanePrice, now },
        );
  const checks = made === null || stored === null || edited === null ? made : storedChecks(made, edited);
  const isHeld = obstacleOf(checks ?? []) !== null;
  const at = (present: SnapshotView): Judged => {
    const isBlobLow = checks?.some(({ name, result }) => name === 'blob-cap' && result === 'wait') === true;
    const canGo = !isHeld && !isBlobLow && cannotBroadcastReason(present.source.kind) === null;
    const isDue = canGo && isPriceThere(order, present) && edited?.status !== 'DISABLED';
    return {
      price: priceText(order, present),
      isDue,
      pays: bid === null ? null : describeOwnFee(bid, present),
    };
  };
  const judged = at(snapshot);
  return {
    order,
    ...judged,
    at,
    odds: judged.isDue ? dueText(checks) : isThere || isHeld || pasted.kind === 'problem' ? null : likely,
    checks,
  };
}

/** `now 0.0507, has to fall 21 %` */
function priceText(order: PricedAutoTx, snapshot: SnapshotView): string | null {
  const { gasSpeed, isStrict, maxFeePerGas, gasPrice } = order;
  const { lanes, nextBaseFee } = snapshot;
  const distance = distanceToTarget(order, snapshot);
  const cap = maxFeePerGas ?? gasPrice;
  // With a target above its cap, the target never matters.
  const decides = cap !== null && (order.target ?? 0n) > cap;
  if (decides && distance?.isCapped === true && nextBaseFee !== null)
    return `your cap of ${shortGwei(cap)} decides: base fee ${formatGwei(nextBaseFee)} now`;
  const what = distance?.isOfCap === true ? 'base fee' : isStrict ? 'own price' : 'now';
  if (distance !== null) {
    return `${what} ${formatGwei(distance.price)}, ${describeDistance(distance)}`;
  }
  const lane = laneOf(gasSpeed);
  const price = lane === null || isStrict ? null : lanes[lane].price;
  return price === null ? null : `now ${formatGwei(price)}`;
}

/** A transaction may pay more itself than its lane costs. */
function dueText(checks: readonly CheckView[] | null): string {
  const isDear = checks?.some(({ name, ok }) => name === 'cost' && ok === false) === true;
  return `target reached: it is broadcast at once${isDear ? ', but pays more itself' : ''}`;
}

/**
 * The sender as the chain knows it, kept up with the head, for the pre-flight checks made here: the service is shown
 * nothing of the signed transaction. `undefined` until it is known, `null` when the service does not say.
 */
function useSender(from: string | null, snapshot: SnapshotView) {
  const { client, frozen } = useMonitor();
  const polled = usePolledQuery({
    key: ['auto-tx-account', from],
    enabled: from !== null,
    ask: async (signal) => (from === null ? null : client.autoTxAccount(from, { signal })),
    head: snapshot,
    isSettled: (account) => account === null,
    frozen,
  });
  if (from === null) return undefined;
  return polled.data === undefined && polled.error !== null ? null : polled.data;
}

/** Further ahead the service states nothing. */
const LONGEST_SEC = 86_400;

/**
 * How likely the price falls to the target in time, in words: `reached 81 % likely before it expires`; `null` when it is
 * reached already, or the service does not say.
 *
 * @param leftSec until it expires; `null`: never
 */
function useTargetReach(
  order: PricedAutoTx,
  isThere: boolean,
  leftSec: number | null,
  snapshot: SnapshotView,
): string | null {
  const { target } = order;
  // More than its own cap is not paid, whatever the target.
  const cap = order.maxFeePerGas ?? order.gasPrice;
  const price = target === null || cap === null || target < cap ? target : cap;
  // Whole minutes: a deadline that comes nearer each second would be a new request each second.
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
  readonly form: FormState<AutoTxDraft>;
  readonly fields: readonly FormField<AutoTxDraft>[];
  readonly pasted: Pasted;
  readonly outlook: Outlook;
  readonly edited: AutoTxView | null;
  readonly role: SignedRole;
  /** The other service that gets the signed transaction. */
  readonly host: string | null;
  readonly snapshot: SnapshotView;
  readonly width: number;
  readonly theme: Theme;
}

/** From so many rows on the transaction stays in sight while the other fields are typed. */
const ROOMY_FROM = 28;
const ODDS_LINES = 2;

/** The pasted text and what it says, or the fields and what follows from them, the worst checks first. */
function formBody(parts: BodyParts, said: SaidProblem, rows: number): readonly Line[] {
  const { form, fields, outlook, theme, width } = parts;
  const isRoomy = rows >= ROOMY_FROM;
  const isPasting = form.focus === 'signed';
  const blocks = fields.map((field) => [
    ...fieldLines(field, form, said(field.id), width, theme),
    ...(field.kind === 'pasted' && (isRoomy || isPasting) ? pastedLines(parts, isRoomy) : []),
  ]);
  const place = Math.max(
    fields.findIndex(({ id }) => id === form.focus),
    0,
  );
  if (isPasting && !isRoomy) {
    const lines = [...visibleLines([blocks[place] ?? []], 0, rows)];
    // Ctrl-S schedules from here, too.
    if (parts.pasted.kind === 'transaction' && lines.length < rows)
      lines.push([
        {
          text: theme.text(
            `   at ${describeTarget(outlook.order)}${outlook.price === null ? '' : `, ${outlook.price}`}`,
          ),
        },
      ]);
    const open = (outlook.checks ?? []).filter(({ result, ok }) => ok === false || result === 'wait');
    return [...lines, ...preflightLines(open, width, theme, rows - lines.length)];
  }
  const odds: readonly Line[] =
    outlook.odds === null
      ? []
      : wrapText(theme.text(outlook.odds), width - 2, ODDS_LINES, theme.glyph.ellipsis).map((text) => [
          { text: ` ${text}` },
        ]);
  const room = Math.max(rows - odds.length, 1);
  const lines = visibleLines(blocks, place, room);
  const gap = isRoomy && room > lines.length ? [EMPTY_LINE] : [];
  const left = room - lines.length - gap.length;
  return [...lines, ...gap, ...odds, ...preflightLines(outlook.checks ?? [], width, theme, left)];
}

/** What the pasted text says, or what belongs there. */
function pastedLines(parts: BodyParts, isRoomy: boolean): readonly Line[] {
  const { form, pasted, snapshot, width, theme } = parts;
  const gap = isRoomy ? [EMPTY_LINE] : [];
  if (pasted.kind === 'transaction') {
    const facts = transactionFacts(pasted.transaction, pasted.call, snapshot.nativeUsd);
    return [...factLines(facts, width, theme), ...gap];
  }
  if (pasted.kind !== 'nothing' || form.focus !== 'signed') return [];
  const guide = guideSentences(parts).flatMap((sentence) =>
    wrapText(theme.text(sentence), width - 4, GUIDE_LINES, theme.glyph.ellipsis).map(
      (text): Line => [{ text: `   ${text}`, faint: true }],
    ),
  );
  return [EMPTY_LINE, ...guide, ...gap];
}

const GUIDE_LINES = 4;

/** What to paste and where it goes. */
function guideSentences({ role, edited, host }: BodyParts): readonly string[] {
  const first =
    role === 'replaces'
      ? 'A transaction pasted here replaces the pending one.'
      : edited === null
        ? 'Sign the transaction in your wallet without sending it, and paste it: 0x and many digits.'
        : `The draft: ${describeContent(edited)}. Sign exactly that, with any nonce and fees, and paste it.`;
  return [
    first,
    `It is checked here and never shown. ${host ?? 'gastop'} keeps it and broadcasts it at your target; until then you can cancel it.`,
    'Never paste a private key or a recovery phrase.',
  ];
}

function rankOf({ name, result, ok }: CheckView): number {
  if (result === 'block') return 0;
  if (ok === false) return 1;
  if (result === 'wait') return 2;
  if (result === 'unknown') return 3;
  return name === 'cost' ? 4 : 5;
}

/** As many checks as there is room for: those that need attention first, then the cost; the others are counted. */
function preflightLines(
  checks: readonly CheckView[],
  width: number,
  theme: Theme,
  room: number,
): readonly Line[] {
  const ranked = [...checks].sort((one, other) => rankOf(one) - rankOf(other));
  for (let shown = ranked.length; shown >= 0; shown--) {
    const lines = checkLines({ checks: ranked.slice(0, shown) }, { theme, width });
    const rest = ranked.slice(shown);
    const more: readonly Line[] = rest.length === 0 ? [] : [restLine(rest, theme)];
    if (lines.length + more.length <= room) return [...lines, ...more];
  }
  return [];
}

function restLine(rest: readonly CheckView[], theme: Theme): Line {
  const words = `${rest.length} more ${rest.length === 1 ? 'check' : 'checks'}, ${describeChecks(rest)}`;
  return [{ text: `   ${theme.glyph.ellipsis} ${words}`, faint: true }];
}
