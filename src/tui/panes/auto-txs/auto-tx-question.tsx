import { type AutoTxView, mayBeMined } from '../../../client/views/auto-txs.ts';
import {
  describeContent,
  describeState,
  describeTarget,
  isOver,
  statusOf,
} from '../../../client/views/describe-auto-txs.ts';
import { cleanText } from '../../../core/clean-text.ts';
import type { DescribeCall } from '../../hooks/use-described-calls.ts';
import { Question } from '../../input/confirm.tsx';
import { wrapText } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import type { Asked } from './use-auto-tx-actions.ts';

interface AutoTxQuestionProps {
  /** With the auto-tx as it stands now: it may go out while the question is on the screen. */
  readonly asked: Asked;
  readonly describe: DescribeCall;
  readonly width: number;
  readonly height: number;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

const MARGINS = 6;
const MOST_LINES = 4;

/** Asks before an auto-tx is cancelled or deleted, and says what that does and what it cannot do. */
export function AutoTxQuestion({ asked, describe, width, ...rest }: AutoTxQuestionProps) {
  const theme = useTheme();
  const { title, lines, yes, no } =
    asked.what === 'cancel' ? cancelWords(asked.autoTx) : deleteWords(asked.autoTx);
  return (
    <Question
      title={title}
      lines={[...aboutLines(asked.autoTx, describe), ' ', ...lines].flatMap((line) =>
        wrapText(line, width - MARGINS, MOST_LINES, theme.glyph.ellipsis),
      )}
      yes={yes}
      no={no}
      width={width}
      {...rest}
    />
  );
}

interface QuestionWords {
  readonly title: string;
  readonly lines: readonly string[];
  readonly yes: string;
  readonly no: string;
}

function aboutLines(autoTx: AutoTxView, describe: DescribeCall): readonly string[] {
  const note = cleanText(autoTx.note ?? '').trim();
  const nonce = autoTx.nonce === null ? '' : `, nonce ${autoTx.nonce}`;
  return [
    `${describeContent(autoTx, describe(autoTx))}${nonce}, when ${describeTarget(autoTx)}`,
    ...(note === '' ? [] : [note]),
  ];
}

/** What stops what a node may have. */
const REPLACE = 'Only a same-nonce replacement from your wallet can stop it.';

function cancelWords(autoTx: AutoTxView): QuestionWords {
  if (isOver(autoTx)) {
    return {
      title: `It is ${describeState(autoTx)} by now.`,
      lines: ['There is nothing to cancel any more.'],
      yes: 'Ask it anyway',
      no: 'Leave it',
    };
  }
  if (statusOf(autoTx) === 'SUBMITTED') {
    return {
      title: 'It has been sent already.',
      lines: [
        'A node may have it, and no service can take it back from there.',
        REPLACE,
        'The service can be asked all the same; it will most likely refuse.',
      ],
      yes: 'Ask it anyway',
      no: 'Leave it',
    };
  }
  return {
    title: 'Cancel this auto-tx?',
    lines: mayBeMined(autoTx)
      ? [
          'It was sent before: a node may still have it, so it may be mined although it is cancelled.',
          REPLACE,
        ]
      : statusOf(autoTx) === 'DRAFT'
        ? ['It was never signed, so nothing of it can be sent.']
        : autoTx.mayBeMined === null
          ? [
              'The service is asked not to send it. Whether it keeps what was signed, and whether it was sent, it does not say.',
              'Surely stopped is only what a same-nonce replacement from your wallet has overtaken.',
            ]
          : ['It has not been sent. Its signed bytes are deleted, so nothing can send it any more.'],
    yes: 'Cancel it',
    no: 'Keep it',
  };
}

function deleteWords(autoTx: AutoTxView): QuestionWords {
  const isDraft = statusOf(autoTx) === 'DRAFT';
  const isOut = autoTx.mayBeMined === true;
  return {
    title: 'Delete this auto-tx?',
    lines: [
      isDraft
        ? 'It was never signed, so nothing of it can be sent.'
        : 'What happened to it and what it saved is deleted with it; the chain keeps what was mined.',
      ...(isOut ? ['It was sent before and may still be mined: then nothing here tells of it.'] : []),
      'It cannot be undone.',
    ],
    yes: 'Delete',
    no: 'Keep it',
  };
}
