import { Box, useIsScreenReaderEnabled } from 'ink';
import type { ReactNode } from 'react';
import { TakesKeysContext } from '../input/use-keys.tsx';
import { Room, useRoom } from './pane-context.tsx';
import { bold, faint, type Line, LineList, plain } from './text.tsx';

/** From this width on a list and the details of what is selected in it stand side by side. */
const SIDE_BY_SIDE_FROM = 140;
/** Holds the columns of every list that decide. */
const LEAST_LIST = 80;
const LIST_SHARE = 0.46;
/** The line between the halves, and a blank before it. */
const BORDER = 2;

/** The width of a list beside its details; `null`: there is room for one of them, as always for a screen reader. */
export function useListWidth(): number | null {
  const { columns } = useRoom();
  if (useIsScreenReaderEnabled() || columns < SIDE_BY_SIDE_FROM) return null;
  return Math.max(LEAST_LIST, Math.round(columns * LIST_SHARE));
}

interface SideBySideProps {
  readonly leftWidth: number;
  readonly left: ReactNode;
  readonly right: ReactNode;
  /** Whether the right half takes the keys: opened details do, those of what is merely selected leave them to the list. */
  readonly isRightOpen: boolean;
}

/** Two halves of a wide screen, as a list and the details of what is selected in it; a sign says that these are open. */
export function SideBySide({ leftWidth, left, right, isRightOpen }: SideBySideProps) {
  const { columns, rows } = useRoom();
  const border = Array.from({ length: rows }, (_, row): Line => {
    return [plain(' '), row === 0 && isRightOpen ? bold('▸', 'accent') : faint('│')];
  });
  return (
    <Box width={columns} height={rows} flexShrink={0}>
      <TakesKeysContext value={!isRightOpen}>
        <Room columns={leftWidth} rows={rows}>
          {left}
        </Room>
      </TakesKeysContext>
      <LineList lines={border} width={BORDER} />
      <TakesKeysContext value={isRightOpen}>
        <Room columns={columns - leftWidth - BORDER} rows={rows}>
          {right}
        </Room>
      </TakesKeysContext>
    </Box>
  );
}
