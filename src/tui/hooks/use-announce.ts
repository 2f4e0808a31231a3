import { useStdout } from 'ink';
import { createContext, useCallback, useContext } from 'react';
import { type NotificationLevel, notificationBytes } from '../notification-bytes.ts';

/** How the terminal is told of what fires. */
export interface Notifications {
  readonly level: NotificationLevel;
  /** The environment that says which terminal it is. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const SILENT: Notifications = { level: 'off', env: {} };

export const NotificationsContext = createContext<Notifications>(SILENT);

/** Rings the terminal and tells its desktop, also over ssh and whatever is on the screen. */
export function useAnnounce(): (text: string) => void {
  const { level, env } = useContext(NotificationsContext);
  const { stdout } = useStdout();
  return useCallback(
    (text) => {
      const bytes = notificationBytes(text, level, env);
      // Past Ink's own `write`: nothing of it moves the cursor or draws, so the frame may stay.
      if (bytes !== '') stdout.write(bytes);
    },
    [stdout, level, env],
  );
}
