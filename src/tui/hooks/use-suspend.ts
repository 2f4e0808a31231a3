import { useApp } from 'ink';
import { useToast } from './use-toast.ts';

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
      process.once('SIGCONT', () => void suspension.resume());
      // The whole group: under npx the shell waits for npx, not for us.
      process.kill(0, 'SIGTSTP');
    })();
  };
}
