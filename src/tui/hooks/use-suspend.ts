import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { useApp } from 'ink';
import { useEffect, useRef } from 'react';
import { useToast } from './use-toast.ts';

/** The stop may reach us a moment after it was sent. */
const AFTER_STOP_MS = 100;

/**
 * `Ctrl-Z`: gives the terminal back, stops the whole job, and draws everything again when `fg` brings it back. Who was
 * stopped by a signal could give nothing back; the terminal is put in order once it goes on.
 */
export function useSuspend(): () => void {
  const { suspendTerminal } = useApp();
  const toast = useToast();
  const isAway = useRef(false);
  const leaveFor = useRef(async (meanwhile: () => Promise<void>) => {
    if (isAway.current) return;
    isAway.current = true;
    try {
      const suspension = await suspendTerminal();
      await meanwhile();
      // Only who has the terminal is told when it gets another size.
      process.emit('SIGWINCH', 'SIGWINCH');
      await nextTurn();
      await suspension.resume();
    } finally {
      isAway.current = false;
    }
  });
  useEffect(() => {
    const goOn = () => void leaveFor.current(async () => {});
    process.on('SIGCONT', goOn);
    return () => {
      process.off('SIGCONT', goOn);
    };
  }, []);
  return () => {
    if (process.platform === 'win32') {
      toast({ kind: 'error', text: 'This system cannot stop a program and go on with it later' });
      return;
    }
    void leaveFor.current(async () => {
      // The whole group: under npx the shell waits for npx, not for us.
      process.kill(0, 'SIGTSTP');
      // Over when `fg` has woken us, or at once where nobody can stop us because no shell could wake us.
      await sleep(AFTER_STOP_MS);
    });
  };
}
