import type { DevEvent } from './dev-event.ts';

type Tell = (event: DevEvent) => void;

/**
 * Holds events back until the session is ready, so that `ready` is the first one. What the customization code prints is reported
 * at once.
 */
export function holdUntilReady(tell: Tell): Tell {
  let held: DevEvent[] | undefined = [];
  return (event) => {
    if (held === undefined || event.event === 'output') {
      tell(event);
    } else if (event.event === 'ready') {
      const later = held;
      held = undefined;
      for (const each of [event, ...later]) tell(each);
    } else {
      held.push(event);
    }
  };
}
