import { unknownAutoTxFields } from '../../../client/openapi.ts';
import {
  describeChecks,
  describeContent,
  describeSigned,
  describeTarget,
  sizeText,
} from '../../../client/views/auto-tx-texts.ts';
import { type AutoTxView, type CheckView, overpaysCheck } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { checkAutoTxUpdate } from '../../../contract/auto-txs.ts';
import { isWaiting } from '../../../core/auto-txs/state-machine.ts';
import { callDifferences } from '../../../core/auto-txs/stored-auto-tx.ts';
import { formatCount } from '../../../core/units.ts';
import { useMonitor } from '../../data/monitor-context.ts';
import { useDescription } from '../../data/queries.ts';
import type { Confirmation } from '../../input/confirm.tsx';
import { changedIn, type FormField, formOf, formProblems } from '../../input/form.ts';
import { ResourceForm, useFormState } from '../../resource/resource-form.tsx';
import type { FormProps } from '../../resource/resource-pane.tsx';
import { factGrid, factOf, toldFacts, wrappedLines } from '../../ui/fact-list.tsx';
import { usePane, usePaneMemory, useRoom } from '../../ui/pane-context.tsx';
import { EMPTY_LINE, faint, type Line, plain } from '../../ui/text.tsx';
import {
  type AutoTxDraft,
  autoTxBodyOf,
  autoTxDraftOf,
  autoTxFields,
  DEFAULT_AUTO_TX_DRAFT,
  fieldOf,
} from './auto-tx-draft.ts';
import { checkLines } from './auto-tx-facts.ts';
import { NOTHING_PASTED, type Pasted, READING, transactionText, usePastedTransaction } from './pasted.ts';
import { type Outlook, useAutoTxOutlook } from './use-outlook.ts';

const SIGNED = 'signedTransaction';
const ORDER_FIELDS = ['targetGasPriceGwei', 'gasSpeed', 'strictTargetPrice'];

/** The form of a new or changed auto-tx. The pasted text stays only while the form is open. */
export function AutoTxForm({ seed, onLeave, onSaved }: FormProps<AutoTxView>) {
  const { like = null, isChange = false } = seed;
  const { snapshot, width } = usePane();
  const { rows } = useRoom();
  const { client, host, isPlain, now } = useMonitor();
  const edited = isChange ? like : null;
  const role = roleOf(edited);
  const state = useFormState('auto-tx-form', () =>
    formOf(
      autoTxDraftOf(like, snapshot, isChange),
      role === 'needed' ? SIGNED : 'targetGasPriceGwei',
      like === null ? [] : ['targetGasPriceGwei', 'expiresAt', 'note'],
    ),
  );
  const [signed, setSigned] = usePaneMemory('auto-tx-signed', NOTHING_PASTED);
  const { focus } = state.form;
  const draft: AutoTxDraft = { ...DEFAULT_AUTO_TX_DRAFT, ...state.form.draft };
  const unknown: readonly string[] = unknownAutoTxFields(useDescription());
  const pasted = usePastedTransaction(signed);
  const { text, transaction } = pasted;
  const mayExpire = !unknown.includes('expiresAt');
  const outlook = useAutoTxOutlook(draft, pasted, edited, snapshot, mayExpire);
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
      problems={formProblems(fields, checkAutoTxUpdate(autoTxBodyOf(draft, now(), sent), now()), fieldOf)}
      fieldOf={fieldOf}
      close={() => {
        setSigned(NOTHING_PASTED);
        state.close();
      }}
      save={async () => {
        const body = { ...bytes, ...autoTxBodyOf(draft, now(), sent) };
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
        const latest = outlook.isDue !== false ? snapshot : await client.gasCurrent().catch(() => snapshot);
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
  const { isDue: isSent, price, pays } = at(latest);
  const isDue = isSent !== false;
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
    isDue && `It ${isSent ? 'is' : 'may be'} broadcast at once and cannot be recalled.`,
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

/** What the form does with a signed transaction: one that was broadcast may be mined, whatever is signed later. */
function roleOf(edited: AutoTxView | null): 'needed' | 'replaces' | 'none' {
  if (edited === null || edited.status === 'DRAFT') return 'needed';
  return isWaiting(edited) && edited.attempts === 0 && edited.submittedAt === null ? 'replaces' : 'none';
}

function pastedProblem({ transaction, problem }: Pasted, edited: AutoTxView | null): string | null {
  if (transaction === null || edited?.status !== 'DRAFT') return problem;
  const differs = callDifferences(transaction, edited).map(({ field }) => field);
  if (differs.length === 0) return null;
  return `is of another transaction than the draft: ${differs.join(', ')} differ${differs.length === 1 ? 's' : ''}`;
}
