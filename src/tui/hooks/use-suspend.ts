import { useApp } from 'ink';
import { useToast } from './use-toast.ts';

/** The stop may reach us a moment after it was sent. */
const AFTER_STOP_MS = 100;

/** `Ctrl-Z`: gives the terminal back, stops the whole job, and draws everything again when `fg` brings it back. */
export function useSuspend(): () => void {
  const { suspendTerminal } = useApp();
  const toast = useToast();
  return () => {
    if (process.platform === 'win32') {
      toast({ kind: 'error', text: 'This system cannot stop a program and go on with it later' });
      return;
    }
    void (async () => {
      const suspension = await suspendTerminal();
      // The whole group: under npx the shell waits for npx, not for us.
      process.kill(0, 'SIGTSTP');
      // Runs when `fg` has woken us, or at once where nobody can stop us because no shell could wake us.
      setTimeout(() => void suspension.resume(), AFTER_STOP_MS);
    })();
  };
}
