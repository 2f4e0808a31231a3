import { Box } from 'ink';
import { useState } from 'react';
import { useRoom } from '../ui/pane-context.tsx';
import { bold, EMPTY_LINE, type Line, LineList, plain, wrapText } from '../ui/text.tsx';
import { useModalKeys } from './use-keys.tsx';

export interface Confirmation {
  readonly title: string;
  readonly lines: readonly string[];
  readonly yes: string;
  readonly no: string;
}

interface ConfirmDialogProps extends Confirmation {
  readonly onAnswer: (isYes: boolean) => void;
}

const MARGIN = 3;
const MOST_LINES = 4;

export function ConfirmDialog({ title, lines, yes, no, onAnswer }: ConfirmDialogProps) {
  const [isYes, setYes] = useState(false);
  useModalKeys('question', {
    other: () => setYes(!isYes),
    chosen: () => onAnswer(isYes),
    yes: () => onAnswer(true),
    no: () => onAnswer(false),
  });
  // Brackets mark the focus without colours.
  const button = (word: string, isFocused: boolean) =>
    isFocused ? bold(`[▸ ${word} ]`, 'accent') : plain(`   ${word}  `);
  const buttons: Line = [button(no, !isYes), plain('   '), button(yes, isYes)];
  return <DialogBox {...{ title, lines }} last={buttons} />;
}

/** Asks before something is done: `dialog` is drawn instead of the screen until it is answered. */
export function useConfirmation() {
  const [asked, ask] = useState<(Confirmation & { readonly run: () => void }) | null>(null);
  const onAnswer = (isYes: boolean) => {
    ask(null);
    if (isYes) asked?.run();
  };
  return { dialog: asked && <ConfirmDialog {...asked} onAnswer={onAnswer} />, ask };
}

export function DialogBox({ title, lines, last }: Pick<Confirmation, 'title' | 'lines'> & { last: Line }) {
  const { columns, rows } = useRoom();
  const width = columns - 2 * MARGIN;
  const wrapped = lines.flatMap((line) => (line === ' ' ? [line] : wrapText(line, width, MOST_LINES)));
  const shown = [[bold(title)], ...wrapped.map((line) => [plain(line)]), EMPTY_LINE, last];
  return (
    <Box height={rows} paddingX={MARGIN} flexDirection="column" justifyContent="center" overflow="hidden">
      <LineList lines={shown} width={width} />
    </Box>
  );
}
