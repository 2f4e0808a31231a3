import { createContext, useCallback, useContext, useEffect, useState } from 'react';
import { useRoom } from '../ui/pane-context.tsx';
import { fitLine, OneLine } from '../ui/text.tsx';

const LOOKS = {
  alert: { glyph: '●', bold: true, color: 'warn' },
  error: { glyph: '!', bold: true, color: 'bad' },
  info: { glyph: '▸' },
} as const;

export function ToastLine({ toast }: { readonly toast: Toast }) {
  const { columns } = useRoom();
  const { glyph, ...look } = LOOKS[toast.kind];
  // On Live it covers a row.
  const line = fitLine([{ text: ` ${glyph} ${toast.text}`, ...look }], columns);
  return <OneLine line={line} width={columns} />;
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

/** Shows one line for a while; a newer one replaces it, and an alert reappears after a toast over it. */
export const useToast = (): ShowToast => useContext(ToastContext);

export function useToastHost(): { readonly toast: Toast | null; readonly show: ShowToast } {
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
  return { toast: other ?? alert, show };
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
