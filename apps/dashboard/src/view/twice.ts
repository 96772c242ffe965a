// A button for what cannot be taken back: pressed twice.
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';

interface TwiceProps {
  readonly name: string;
  readonly act: () => void;
}

export function Twice({ name, act }: TwiceProps): ComponentChild {
  const [isArmed, arm] = useState(false);
  const press = (): void => {
    arm(!isArmed);
    if (isArmed) act();
  };
  const disarm = (): void => {
    arm(false);
  };
  return h(
    'button',
    { type: 'button', class: isArmed ? 'armed' : 'act', onClick: press, onBlur: disarm },
    isArmed ? `really ${name}?` : name,
  );
}
