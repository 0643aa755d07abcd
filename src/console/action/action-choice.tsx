import { Dialog, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import type { VisibleAction } from '../model/schema.ts';
import styles from './action.module.css';

interface ActionChoiceProps {
  readonly actions: readonly VisibleAction[];
  readonly onChoose: (action: VisibleAction) => void;
  readonly onClose: () => void;
}

/** The actions to choose from, each with what it says of itself. */
export function ActionChoice({ actions, onChoose, onClose }: ActionChoiceProps) {
  const messages = useMessages();
  return (
    <Dialog title={messages.actions} onClose={onClose}>
      <ul>
        {actions.map((action) => (
          <li key={action.id}>
            <button type="button" className={styles['choice']} onClick={() => onChoose(action)}>
              <bdi>{action.name}</bdi>
              {action.description && <span className={look.small}>{action.description}</span>}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
