import { createContext, useContext } from 'react';

/** True where what is shown is no longer the present: everything is dimmed and loses its colours. */
export const DimContext = createContext(false);

export function useDim(): boolean {
  return useContext(DimContext);
}
