import { useState } from 'react';
import type { PermissionFile } from '#contracts/permission-file';
import { Button, Input, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { type AddressRule, withAddresses } from './team-draft.ts';

interface AddressesPartProps {
  readonly document: PermissionFile;
  readonly onChange: (document: PermissionFile) => void;
}

/** The only addresses that may reach the data, a row each. */
export function AddressesPart({ document, onChange }: AddressesPartProps) {
  const { rights: messages } = useMessages();
  const { ipRules: rules = [] } = document;
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  return (
    <section aria-label={messages.addresses} className={look.form}>
      <h2>{messages.addresses}</h2>
      <p className={look.small}>{rules.length === 0 ? messages.everyAddress : messages.onlyAddresses}</p>
      <ul className={look.list}>
        {rules.map((rule, place) => (
          <li key={textOf(rule)} className={look.row}>
            <span className={look.wide}>
              <bdi>{textOf(rule)}</bdi>
            </span>
            <Button
              aria-label={messages.removeAddress(textOf(rule))}
              onClick={() => onChange(withAddresses(document, rules.toSpliced(place, 1)))}
            >
              {messages.removePart}
            </Button>
          </li>
        ))}
      </ul>
      <form
        className={look.row}
        onSubmit={(event) => {
          event.preventDefault();
          const rule = to.trim() === '' ? from.trim() : { from: from.trim(), to: to.trim() };
          const isNew = rules.every((each) => textOf(each) !== textOf(rule));
          if (isNew) onChange(withAddresses(document, [...rules, rule]));
          setFrom('');
          setTo('');
        }}
      >
        <div className={look.wide}>
          <Input
            aria-label={messages.address}
            placeholder={messages.address}
            required
            pattern="[0-9a-fA-F.:\/]+"
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
        </div>
        <Input
          aria-label={messages.lastAddress}
          placeholder={messages.lastAddress}
          pattern="[0-9a-fA-F.:]+"
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
        <Button type="submit">{messages.addAddress}</Button>
      </form>
    </section>
  );
}

function textOf(rule: AddressRule): string {
  return typeof rule === 'string' ? rule : `${rule.from} – ${rule.to}`;
}
