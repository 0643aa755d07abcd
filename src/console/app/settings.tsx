import { useQuery } from '@tanstack/react-query';
import { Button, Buttons, Dialog, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { type Preferences, setPreferences, usePreferences } from '../model/preferences.ts';
import styles from './shell.module.css';

/** What one person likes, and every key. */
export function Settings({ onClose }: { readonly onClose: () => void }) {
  const messages = useMessages();
  const { singleKeys, approvalMails } = usePreferences();
  const keys = useQuery({
    queryKey: ['keys', messages.code],
    queryFn: messages.keyList,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog title={messages.settings} onClose={onClose} isUnsaved={false} isAtSide>
      <Choice name="theme" label={messages.theme} choices={messages.themes} />
      <Choice name="density" label={messages.density} choices={messages.densities} />
      <Choice name="zone" label={messages.zone} choices={zones(messages.zoneOfMachine)} />
      <label>
        <input
          type="checkbox"
          checked={singleKeys}
          onChange={({ target }) => setPreferences({ singleKeys: target.checked })}
        />{' '}
        {messages.singleKeys}
      </label>
      <label>
        <input
          type="checkbox"
          checked={approvalMails}
          onChange={({ target }) => setPreferences({ approvalMails: target.checked })}
        />{' '}
        {messages.approvalMails}
      </label>
      <h3>{messages.keys}</h3>
      <dl className={styles['keys']}>
        {keys.data?.map(([key, what]) => [
          <dt key={`${key} key`}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={key}>{what}</dd>,
        ])}
      </dl>
      <Buttons>
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly name: 'theme' | 'density' | 'zone';
  readonly label: string;
  /** What is shown, by value. */
  readonly choices: Readonly<Record<string, string>>;
}

function Choice({ name, label, choices }: ChoiceProps) {
  const value = usePreferences()[name];
  return (
    <label>
      {label}
      <select
        className={look.input}
        value={value}
        onChange={({ target }) => setPreferences({ [name]: target.value } as Partial<Preferences>)}
      >
        {Object.entries(choices).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function zones(ofMachine: string): Readonly<Record<string, string>> {
  const names = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
  return { '': ofMachine, ...Object.fromEntries(names.map((name) => [name, name])) };
}
