import { Box, type DOMElement, measureElement, useIsScreenReaderEnabled, useStdin } from 'ink';
import { type ReactNode, useContext, useEffect, useEffectEvent, useRef } from 'react';
import * as z from 'zod';
import { useToast } from '../chrome/toast.tsx';
import { useRemembered } from '../data/remembered.ts';
import { TerminalInput } from './terminal-input.ts';
import { type ActionHandler, DispatcherContext } from './use-keys.tsx';

const IsMouseOn = z.boolean();

/**
 * The key that asks the terminal for clicks and the wheel, or gives them back. A screen reader speaks lines, which have no
 * place on a screen.
 */
export function useMouseKey(): ActionHandler {
  const { stdin } = useStdin();
  const toast = useToast();
  const isSpoken = useIsScreenReaderEnabled();
  const [isOn, setOn] = useRemembered('mouse', IsMouseOn, false, { isEverywhere: true });
  const isWanted = isOn && !isSpoken;
  useEffect(() => {
    if (stdin instanceof TerminalInput) stdin.reportMouse(isWanted);
  }, [stdin, isWanted]);
  if (isSpoken) return 'A screen reader has no use for the mouse';
  return () => {
    setOn(!isOn);
    const text = isOn ? 'Mouse off: the terminal selects text' : 'Mouse on: M gives it back to the terminal';
    toast({ kind: 'info', text });
  };
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
  const take = useEffectEvent((x: number, y: number) => {
    if (box.current === null) return false;
    const area = measureElement(box.current);
    const [column, row] = [x - area.x, y - area.y];
    const isInside = column >= 0 && row >= 0 && column < area.width && row < area.height;
    if (isInside) onClick(column, row);
    return isInside;
  });
  useEffect(() => dispatcher.takeClicks((x, y) => take(x, y)), [dispatcher]);
  return (
    <Box ref={box} flexDirection="column" flexShrink={0}>
      {children}
    </Box>
  );
}
