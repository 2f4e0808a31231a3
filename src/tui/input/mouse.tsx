import { Box, type DOMElement, measureElement, useIsScreenReaderEnabled, useStdin } from 'ink';
import { type ReactNode, useContext, useEffect, useInsertionEffect, useRef } from 'react';
import { TerminalInput } from './terminal-input.ts';
import { DispatcherContext } from './use-keys.tsx';

/** Asks the terminal for clicks and the wheel. A screen reader speaks lines, which have no place on a screen. */
export function useMouse(isOn: boolean): void {
  const { stdin } = useStdin();
  const isSpoken = useIsScreenReaderEnabled();
  const isWanted = isOn && !isSpoken;
  useEffect(() => {
    if (stdin instanceof TerminalInput) stdin.reportMouse(isWanted);
  }, [stdin, isWanted]);
}

interface ClickableProps {
  /** Gets the column and the row within it, from 0. */
  readonly onClick: (column: number, row: number) => void;
  readonly children: ReactNode;
}

/** A part of the screen that takes clicks, also where the other one of two parts side by side takes the keys. */
export function Clickable({ onClick, children }: ClickableProps) {
  const dispatcher = useContext(DispatcherContext);
  const box = useRef<DOMElement>(null);
  const latest = useRef(onClick);
  useInsertionEffect(() => {
    latest.current = onClick;
  });
  useEffect(() => {
    return dispatcher.takeClicks((x, y) => {
      if (box.current === null) return false;
      const area = measureElement(box.current);
      const [column, row] = [x - area.x, y - area.y];
      const isInside = column >= 0 && row >= 0 && column < area.width && row < area.height;
      if (isInside) latest.current(column, row);
      return isInside;
    });
  }, [dispatcher]);
  return (
    <Box ref={box} flexDirection="column" flexShrink={0}>
      {children}
    </Box>
  );
}
