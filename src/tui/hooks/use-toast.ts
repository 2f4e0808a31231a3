import { createContext, useCallback, useContext, useEffect, useState } from 'react';

export interface Toast {
  readonly kind: 'info' | 'error';
  /** One short line; what does not fit is cut. */
  readonly text: string;
}

export type ShowToast = (toast: Toast) => void;

const SHOWN_MS: Readonly<Record<Toast['kind'], number>> = { info: 2_000, error: 4_000 };

export const ToastContext = createContext<ShowToast>(() => {});

/** `toast({ kind, text })` shows one line for two seconds, errors for four; a newer one replaces the older. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

/** For the app's frame, which draws the toast: the one to show now, and what to hand to {@link ToastContext}. */
export function useToastHost(): { readonly toast: Toast | null; readonly show: ShowToast } {
  const [toast, setToast] = useState<Toast | null>(null);
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(() => setToast(null), SHOWN_MS[toast.kind]);
    return () => clearTimeout(timer);
  }, [toast]);
  // A copy, so that the same words shown again start their time again.
  const show = useCallback<ShowToast>((next) => setToast({ ...next }), []);
  return { toast, show };
}
