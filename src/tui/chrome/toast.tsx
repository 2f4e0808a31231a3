import { Text } from 'ink';
import { createContext, useCallback, useContext, useEffect, useState } from 'react';
import { useRoom } from '../ui/pane-context.tsx';
import { truncate } from '../ui/text.tsx';
import { COLORS, forTerminal } from '../ui/theme.ts';

const LOOKS = {
  alert: { glyph: '●', look: { bold: true, color: COLORS.warn } },
  error: { glyph: '!', look: { bold: true, color: COLORS.bad } },
  info: { glyph: '▸', look: {} },
} as const;

export function ToastLine({ toast }: { readonly toast: Toast }) {
  const { glyph, look } = LOOKS[toast.kind];
  return (
    <Text wrap="truncate" {...look}>
      {forTerminal(` ${glyph} ${truncate(toast.text, useRoom().columns - 4)}`)}
    </Text>
  );
}

export interface Toast {
  /** `alert`: something the user waits for has fired. */
  readonly kind: 'info' | 'error' | 'alert';
  readonly text: string;
  /** How long it stays, ms; default: 2 s, an error 4 s, an alert 12 s. */
  readonly forMs?: number;
}

type ShowToast = (toast: Toast) => void;

const SHOWN_MS: Readonly<Record<Toast['kind'], number>> = { info: 2_000, error: 4_000, alert: 12_000 };

export const ToastContext = createContext<ShowToast>(() => {});

/** Shows one line for a while; a newer one replaces it, and an alert reappears after a toast over it. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

export function useToastHost(): { readonly toast: Toast | null; readonly show: ShowToast } {
  const [alert, showAlert] = useFadingToast();
  const [other, showOther] = useFadingToast();
  const show = useCallback<ShowToast>(
    (next) => {
      if (next.kind === 'alert') showOther(null);
      (next.kind === 'alert' ? showAlert : showOther)(next);
    },
    [showAlert, showOther],
  );
  return { toast: other ?? alert, show };
}

function useFadingToast(): readonly [Toast | null, (toast: Toast | null) => void] {
  const [toast, setToast] = useState<Toast | null>(null);
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(() => setToast(null), toast.forMs ?? SHOWN_MS[toast.kind]);
    return () => clearTimeout(timer);
  }, [toast]);
  // A copy, so that repeating the same message restarts its time.
  const show = useCallback((next: Toast | null) => setToast(next && { ...next }), []);
  return [toast, show];
}
