import { type ReactNode, useState } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  ToggleButton as AriaToggleButton,
  type ToggleButtonProps,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components';
import styles from './button.module.css';

export type ButtonTone = 'plain' | 'primary' | 'danger' | 'quiet';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style'> {
  readonly tone?: ButtonTone;
  readonly icon?: ReactNode;
  /** A sentence that appears beside it. */
  readonly tooltip?: string;
}

const classes = (tone: ButtonTone, more = ''): string => `${styles.button} ${styles[tone] ?? ''} ${more}`;

/** The class of a link to a form, which looks like a button. */
export const actionClass = classes('primary');

/** The class of a link to another page among buttons. */
export const linkClass = classes('plain');

/** A button that is disabled while it has the focus keeps it, so that keyboards continue from there. */
function useFocusWhileDisabled({
  isDisabled = false,
  isPending = false,
}: Pick<AriaButtonProps, 'isDisabled' | 'isPending'>) {
  const [isFocused, setFocused] = useState(false);
  return {
    isDisabled: isDisabled && !isFocused,
    isPending: isPending || (isDisabled && isFocused),
    onFocusChange: setFocused,
  };
}

/** A button with a word, and perhaps an icon before it. */
export const Button = ({ tone = 'plain', icon, tooltip, children, ...props }: ButtonProps) => {
  const kept = useFocusWhileDisabled(props);
  const button = (
    <AriaButton {...props} {...kept} className={classes(tone)}>
      {(values) => (
        <>
          {icon}
          {typeof children === 'function' ? children({ ...values, defaultChildren: null }) : children}
        </>
      )}
    </AriaButton>
  );
  if (tooltip === undefined) return button;
  return (
    <TooltipTrigger delay={500}>
      {button}
      <Tooltip className={styles.tooltip ?? ''} offset={6}>
        {tooltip}
      </Tooltip>
    </TooltipTrigger>
  );
};

export interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** Its name, which is also its tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
  readonly tone?: ButtonTone;
}

/** A button that is only an icon. */
export const IconButton = ({ label, icon, tone = 'quiet', ...props }: IconButtonProps) => {
  const kept = useFocusWhileDisabled(props);
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...props} {...kept} aria-label={label} className={classes(tone, styles.icon)}>
        {icon}
      </AriaButton>
      <Tooltip className={styles.tooltip ?? ''} offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
};

/** A button that stays pressed. */
export const ToggleIconButton = ({
  label,
  icon,
  ...props
}: Omit<ToggleButtonProps, 'className' | 'style' | 'children'> & {
  readonly label: string;
  readonly icon: ReactNode;
}) => (
  <TooltipTrigger delay={500}>
    <AriaToggleButton {...props} aria-label={label} className={classes('quiet', styles.icon)}>
      {icon}
    </AriaToggleButton>
    <Tooltip className={styles.tooltip ?? ''} offset={6}>
      {label}
    </Tooltip>
  </TooltipTrigger>
);
