import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import type { Line } from '../ui/text.tsx';

const LOOKS = {
  alert: { glyph: '●', bold: true, color: 'warn', shownMs: 12_000 },
  error: { glyph: '!', bold: true, color: 'bad', shownMs: 4_000 },
  info: { glyph: '▸', shownMs: 2_000 },
} as const;

export function toastLine({ kind, text }: Toast): Line {
  const { glyph, shownMs: _, ...look } = LOOKS[kind];
  return [{ text: ` ${glyph} ${text}`, ...look }];
}

export interface Toast {
  readonly kind: 'info' | 'error' | 'alert';
  readonly text: string;
  /** How long it stays, ms; default: by its kind. */
  readonly forMs?: number;
}

type ShowToast = (toast: Toast) => void;

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
    const timer = setTimeout(() => setToast(null), toast.forMs ?? LOOKS[toast.kind].shownMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return [toast, setToast] as const;
}
