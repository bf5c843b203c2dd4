import { createContext, useContext } from 'react';

/** Whether all fields in a form are disabled: they show values that the user may not change. */
export const FieldsDisabled = createContext(false);

/** Returns whether a field is disabled, by itself or with all of its form. */
export const useIsDisabled = (isDisabled = false): boolean => useContext(FieldsDisabled) || isDisabled;
