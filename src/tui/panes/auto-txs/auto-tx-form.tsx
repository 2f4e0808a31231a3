import { autoTxChecks } from '../../../client/auto-tx-preflight.ts';
import { unknownAutoTxFields } from '../../../client/openapi.ts';
import { describeDistance, laneOf, weiOfTypedGwei } from '../../../client/views/alerts.ts';
import {
  type AutoTxView,
  type CheckView,
  describeContent,
  describeTarget,
  distanceToTarget,
  type PricedAutoTx,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { cannotBroadcastReason } from '../../../core/auto-txs/target.ts';
import { formatDuration, formatGwei, formatLikelihood } from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import { useToast } from '../../chrome/footer.tsx';
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
import {
  factLines,
  type Pasted,
  pastedText,
  transactionFacts,
  transactionText,
  usePastedTransaction,
} from './pasted-transaction.ts';

/** The form of a new auto-tx, or of one that is changed. The pasted text is kept only as long as the form is open. */
export function AutoTxForm(props: FormProps<AutoTxView | null>) {
  const { snapshot, columns, rows, seed: edited, onLeave, onSaved } = props;
  const theme = useTheme();
  const toast = useToast();
  const { host = null, isPlain = false, now } = useMonitor();
  const save = useSaveAutoTx();
  const role = roleOf(edited);
  const { form, edit, close } = useFormState('auto-tx-form', () => {
    const draft = draftOf(edited, snapshot);
    return formOf(draft, role === 'needed' ? 'signed' : 'target', {
      text: draft.target,
      dirty: edited === null ? [] : ['target', 'expires', 'note'],
    });
  });
  const { draft, initial } = form;
  const unknown = unknownAutoTxFields(useDescription());
  const pasted = usePastedTransaction(draft.signed, draft.pastes);
  const outlook = useOutlook(draft, pasted, edited, snapshot, !unknown.includes('expiresAt'));
  const fields = autoTxFields({ draft, role, pasted, focus: form.focus, price: outlook.price, unknown });
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
      hint={`Ctrl-S ${isChange ? 'changes it' : 'hands it over'}`}
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
      did={edited === null ? 'handed over' : 'changed'}
      send={async () => {
        const id = await save(
          edited === null
            ? { kind: 'create', autoTx: newAutoTxOf({ draft }, now(), unknown) }
            : { kind: 'update', id: edited.id, change: autoTxChangeOf(draft, initial, now()) },
        );
        const text = `${edited === null ? 'It waits' : 'Changed'}: ${describeTarget(outlook.order)}`;
        toast({ kind: 'info', text });
        finish(() => onSaved({ id, isChange: edited !== null }));
      }}
      confirm={
        host !== null && draft.signed.length > 0
          ? handOverQuestion(host, isPlain, pasted, outlook.order)
          : null
      }
      unchanged={edited !== null && !isDirty ? 'Nothing is changed yet' : null}
      fieldOfPath={autoTxFieldOf}
      leave={{
        title: edited === null ? 'Leave without handing it over?' : 'Leave without changing it?',
        lines: [
          `${draft.signed.length > 0 ? 'What was pasted is forgotten' : 'What was typed is lost'}; the service has seen nothing of it.`,
        ],
        yes: 'Leave',
        no: 'Go on',
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
          ({ name, ok, message }) =>
            `${name}, ${ok === null ? 'not known' : ok ? 'good' : 'failed'}: ${message}`,
        ),
      ]}
    />
  );
}

/** Another service is named before it gets a signed transaction. */
function handOverQuestion(host: string, isPlain: boolean, pasted: Pasted, order: PricedAutoTx): Confirmation {
  const text = pastedText(pasted);
  return {
    title: `Hand it over to ${host}?`,
    lines: [
      ...(text === null ? [] : [`${text}:`]),
      ...(pasted.kind === 'transaction' ? [transactionText(pasted.transaction)] : []),
      `It is to go out at ${describeTarget(order)}.`,
      'Who has it can send it at any time, whatever the price:',
      'only a service that you trust should get it.',
      ...(isPlain
        ? [
            'It travels unencrypted, and whoever reads it on the way',
            'can send it, too; use https:// if it can.',
          ]
        : []),
    ],
    yes: 'Hand it over',
    no: 'Not yet',
  };
}

/** What follows from the draft. */
interface Outlook {
  readonly order: PricedAutoTx;
  /** `now 0.0507, has to fall 21 %` */
  readonly price: string | null;
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
  const transaction = pasted.kind === 'transaction' ? pasted.transaction : null;
  const bid = transaction ?? edited;
  const order: PricedAutoTx = {
    target: weiOfTypedGwei(draft.target),
    gasSpeed: draft.gasSpeed,
    isStrict: draft.isStrict,
    gasPrice: bid?.gasPrice ?? null,
    maxFeePerGas: bid?.maxFeePerGas ?? null,
    maxPriorityFeePerGas: bid?.maxPriorityFeePerGas ?? null,
  };
  const at = mayExpire ? expiresAt(draft.expires, now) : null;
  const leftSec = at === null ? null : Math.max(Math.round((at - now) / 1_000), 0);
  const distance = distanceToTarget(order, snapshot);
  const isThere = distance?.isThere ?? false;
  const likely = useTargetReach(order, isThere, leftSec, snapshot);
  const lane = laneOf(draft.gasSpeed);
  const lanePrice = lane === null ? null : snapshot.lanes[lane].price;
  const account = useSender(transaction?.from ?? null, snapshot);
  const checks =
    transaction === null || account === undefined
      ? null
      : autoTxChecks(
          {
            transaction,
            order: {
              target: order.target,
              lane: lane ?? 'average',
              isStrict: draft.isStrict,
              expiresAt: at,
            },
            id: edited?.id ?? null,
          },
          { snapshot, account, lanePrice, now },
        );
  const isHeld = checks?.some(({ name, ok }) => ok === false && name !== 'cost') === true;
  const isSent = cannotBroadcastReason(snapshot.source.kind) === null;
  const isDue = isThere && distance?.isCapped === false && edited?.status !== 'DISABLED';
  const price =
    distance === null
      ? lanePrice === null || draft.isStrict
        ? null
        : `now ${formatGwei(lanePrice)}`
      : `${draft.isStrict ? 'it would pay' : 'now'} ${formatGwei(distance.price)}, ${describeDistance(distance)}`;
  return {
    order,
    price,
    odds: isDue ? (isHeld || !isSent ? null : dueText(checks, draft.isStrict)) : likely,
    checks,
  };
}

/** That the lane's price is there does not mean that the transaction pays no more itself. */
function dueText(checks: readonly CheckView[] | null, isStrict: boolean): string {
  const isDear = !isStrict && checks?.some(({ name, ok }) => name === 'cost' && ok === false) === true;
  if (isDear) return "the lane's price is there: it goes out with the next block, but pays more";
  return 'the price is there already: it goes out with the next block';
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
    const lines = visibleLines([blocks[place] ?? []], 0, rows);
    const failed = (outlook.checks ?? []).filter(({ ok }) => ok === false);
    return [...lines, ...preflightLines(failed, width, theme, rows - lines.length)];
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
      ? 'What is pasted here takes the place of what waits. Left empty, that stays.'
      : edited === null
        ? 'Sign the transaction in your wallet without sending it, and paste it: 0x and many digits.'
        : `The draft: ${describeContent(edited)}. Sign exactly that, with any nonce and fees, and paste it.`;
  return [
    first,
    `It is checked here and never shown. ${host ?? 'gastop'} keeps it and sends it when gas is at your target; until then you can cancel it.`,
    'Private keys and recovery phrases belong nowhere but in the wallet.',
  ];
}

const rankOf = (check: CheckView) =>
  check.ok === false ? 0 : check.ok === null ? 1 : check.name === 'cost' ? 2 : 3;

/** As many checks as there is room for: those that need a look first, then the cost; the others are counted. */
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
  const failed = rest.filter(({ ok }) => ok !== true).length;
  const count = `${rest.length} more ${rest.length === 1 ? 'check' : 'checks'}`;
  const words = failed === 0 ? `${count}, all good` : `${count}, ${failed} not good`;
  return [{ text: `   ${theme.glyph.ellipsis} ${words}`, faint: true }];
}
