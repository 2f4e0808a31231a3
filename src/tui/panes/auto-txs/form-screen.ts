import type { AutoTxView, CheckView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { EMPTY_LINE, type Line, scrolledTo, wrapText } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import type { AutoTxField, AutoTxFieldId } from './auto-tx-form-fields.ts';
import { autoTxFieldLines } from './auto-tx-form-lines.ts';
import type { AutoTxFormState } from './auto-tx-form-state.ts';
import { formGuide, guideLines } from './form-guide.ts';
import { checkLines } from './log-lines.ts';
import { factLines, transactionFacts } from './transaction-lines.ts';
import type { FormOutlook } from './use-form-outlook.ts';
import type { Pasted } from './use-pasted-transaction.ts';

export interface FormScreenContext {
  readonly form: AutoTxFormState;
  readonly pasted: Pasted;
  readonly outlook: FormOutlook;
  readonly edited: AutoTxView | null;
  /** Who gets what is signed, where that is another service. */
  readonly host: string | null;
  readonly snapshot: SnapshotView;
  readonly width: number;
  readonly theme: Theme;
}

/** From so many lines on the transaction stays in sight while the other fields are typed. */
const ROOMY_FROM = 28;
const NOTICE_LINES = 2;
const ODDS_LINES = 2;

/**
 * The lines under the title, at most `rows`: what is pasted and what it says, or the fields and what follows from them,
 * the worst of the checks first.
 */
export function formScreen(
  fields: readonly AutoTxField[],
  said: (id: AutoTxFieldId | '') => string | null,
  context: FormScreenContext,
  rows: number,
): readonly Line[] {
  const { form, pasted, outlook, theme, width } = context;
  const lineContext = { form, pasted, order: outlook.order, snapshot: context.snapshot, width, theme };
  const general = said('');
  const notice = wrapped(
    general === null ? null : `${theme.glyph.warning} ${general}`,
    width,
    theme,
    NOTICE_LINES,
  ).map((text): Line => [{ text: ` ${text}`, color: 'bad' }]);
  const isRoomy = rows >= ROOMY_FROM;
  const blocks = fields.map((field) => [
    ...autoTxFieldLines(field, said(field.id), lineContext),
    ...(field.kind === 'signed' && (isRoomy || form.focus === 'signed') ? signedLines(context, isRoomy) : []),
  ]);
  const place = Math.max(
    fields.findIndex(({ id }) => id === form.focus),
    0,
  );
  // While it is pasted there is nothing else to look at, where there is no room for both.
  const shown = form.focus === 'signed' && !isRoomy ? [blocks[place] ?? []] : blocks;
  const at = shown.length === 1 ? 0 : place;
  const odds = wrapped(outlook.odds, width, theme, ODDS_LINES).map((text): Line => [{ text: ` ${text}` }]);
  const isJudging = form.focus !== 'signed' || isRoomy;
  const room = Math.max(rows - notice.length - (isJudging ? odds.length : 0), 1);
  const from = shown.slice(0, at).reduce((sum, block) => sum + block.length, 0);
  const end = from + (shown[at]?.length ?? 1) - 1;
  const top = scrolledTo(from, scrolledTo(end, 0, room), room);
  const lines = shown.flat().slice(top, top + room);
  const left = room - lines.length;
  if (!isJudging) {
    const failed = (outlook.checks ?? []).filter(({ ok }) => ok === false);
    return [...notice, ...lines, ...preflightLines(failed, width, theme, left)];
  }
  const gap: readonly Line[] = isRoomy ? [EMPTY_LINE] : [];
  return [
    ...notice,
    ...lines,
    ...gap.slice(0, left),
    ...odds,
    ...preflightLines(outlook.checks ?? [], width, theme, left - gap.length),
  ];
}

function wrapped(text: string | null, width: number, theme: Theme, most: number): readonly string[] {
  return text === null ? [] : wrapText(theme.text(text), width - 2, most, theme.glyph.ellipsis);
}

/** What it says, or what belongs there. */
function signedLines(context: FormScreenContext, isRoomy: boolean): readonly Line[] {
  const { form, pasted, edited, host, snapshot, width, theme } = context;
  const gap: readonly Line[] = isRoomy ? [EMPTY_LINE] : [];
  switch (pasted.kind) {
    case 'transaction':
      return [
        ...factLines(transactionFacts(pasted.transaction, pasted.call, snapshot.nativeUsd), width, theme),
        ...gap,
      ];
    case 'nothing':
      if (form.focus !== 'signed') return [];
      return [EMPTY_LINE, ...guideLines(formGuide(form.role, edited, host), width, theme), ...gap];
    default:
      return [];
  }
}

const RANK = (check: CheckView) =>
  check.ok === false ? 0 : check.ok === null ? 1 : check.name === 'cost' ? 2 : 3;

/** As many checks as there is room for, those that need a look first, then what it costs; the others are counted. */
function preflightLines(
  checks: readonly CheckView[],
  width: number,
  theme: Theme,
  room: number,
): readonly Line[] {
  const ranked = [...checks].sort((one, other) => RANK(one) - RANK(other));
  for (let shown = ranked.length; shown >= 0; shown--) {
    const lines = checkLines({ checks: ranked.slice(0, shown) }, { theme }, width);
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
