import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import type { Line } from '../ui/text.tsx';

const LOOKS = {
  alert: { glyph: '●', bold: true, color: 'warn' },
  error: { glyph: '!', bold: true, color: 'bad' },
  info: { glyph: '▸' },
} as const;

export function toastLine({ kind, text }: Toast): Line {
  const { glyph, ...look } = LOOKS[kind];
  return [{ text: ` ${glyph} ${text}`, ...look }];
}

export interface Toast {
  readonly kind: 'info' | 'error' | 'alert';
  readonly text: string;
  /** How long it stays, ms; default: 2 s, an error 4 s, an alert 12 s. */
  readonly forMs?: number;
}

type ShowToast = (toast: Toast) => void;

const SHOWN_MS: Readonly<Record<Toast['kind'], number>> = { info: 2_000, error: 4_000, alert: 12_000 };

export const ToastContext = createContext<ShowToast>(() => {});
/** What is shown now: apart, so that a toast draws nothing anew but its own line. */
export const ShownToastContext = createContext<Toast | null>(null);

/** Shows one line for a while; a newer one replaces it, and an alert reappears after a toast over it. */
export const useToast = (): ShowToast => useContext(ToastContext);

export function ToastHost({ children }: { readonly children: ReactNode }) {
  const [alert, setAlert] = useFadingToast();
  const [other, setOther] = useFadingToast();
  const show = useCallback<ShowToast>(
    (next) => {
      // A copy, so that repeating the same message restarts its time.
      const toast = { ...next };
      setOther(next.kind === 'alert' ? null : toast);
      if (next.kind === 'alert') setAlert(toast);
    },
    [setAlert, setOther],
  );
  return (
    <ToastContext value={show}>
      <ShownToastContext value={other ?? alert}>{children}</ShownToastContext>
    </ToastContext>
  );
}

function useFadingToast() {
  const [toast, setToast] = useState<Toast | null>(null);
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(() => setToast(null), toast.forMs ?? SHOWN_MS[toast.kind]);
    return () => clearTimeout(timer);
  }, [toast]);
  return [toast, setToast] as const;
}
