import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiScope, ApiToken, ApiTokenWithSecret } from '#contracts/api-tokens';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Button, Buttons, Dialog, Failure, look, Notice } from '../design/controls.tsx';
import { OnceDialog } from '../design/once-dialog.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { createApiToken, revokeApiToken, rotateApiToken } from '../model/access.ts';
import { timeText } from '../values/time-text.ts';
import styles from './access.module.css';
import { useAccessTexts } from './access-texts.ts';
import { creationOf, emptyToken, isComplete, type TokenForm, type TokenLife, tokenLives } from './token-form.ts';

interface DialogProps {
  readonly project: string;
  readonly onClose: () => void;
}

/** Makes a token. Its secret is shown in this dialog, and gone with it. */
export function CreateTokenDialog({ project, onClose }: DialogProps) {
  const { cancel } = useMessages();
  const texts = useAccessTexts();
  const client = useQueryClient();
  const [form, setForm] = useState(emptyToken);
  // Sent twice, the form makes one token.
  const [key] = useState(() => crypto.randomUUID());
  const creating = useMutation({
    // The secret is not kept when the dialog is gone.
    gcTime: 0,
    mutationFn: () => createApiToken(project, creationOf(form), key),
    onSettled: () => client.invalidateQueries({ queryKey: ['API tokens'] }),
  });
  if (creating.data) return <SecretDialog token={creating.data} onClose={onClose} />;
  return (
    <Dialog title={texts.create} onClose={onClose}>
      <form
        className={look.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!creating.isPending) creating.mutate();
        }}
      >
        <TokenFields form={form} onChange={setForm} />
        {!isComplete(form) && <p className={look.small}>{texts.incomplete}</p>}
        {creating.error && <Failure error={creating.error} />}
        <Buttons>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="primary" type="submit" disabled={!isComplete(form) || creating.isPending}>
            {texts.create}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}

interface TokenFieldsProps {
  readonly form: TokenForm;
  readonly onChange: (form: TokenForm) => void;
}

function TokenFields({ form, onChange }: TokenFieldsProps) {
  const texts = useAccessTexts();
  return (
    <>
      <KindChoice {...{ form, onChange }} />
      <label>
        {texts.names[form.isServiceAccount ? 'account' : 'api']}
        <input
          className={look.input}
          required
          maxLength={100}
          autoComplete="off"
          data-first=""
          value={form.name}
          onChange={({ target }) => onChange({ ...form, name: target.value })}
        />
      </label>
      {!form.isServiceAccount && <ScopeFields {...{ form, onChange }} />}
      <label>
        {texts.life}
        <select
          className={look.input}
          value={form.life}
          onChange={({ target }) => onChange({ ...form, life: target.value as TokenLife })}
        >
          {tokenLives.map((life) => (
            <option key={life} value={life}>
              {life === 'never' ? texts.neverEnds : texts.days(life)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** What the program works with. Each kind says what it opens, because nobody knows both kinds by their names. */
function KindChoice({ form, onChange }: TokenFieldsProps) {
  const texts = useAccessTexts();
  return (
    <fieldset className={look.choices}>
      <legend>{texts.kind}</legend>
      {(['api', 'account'] as const).map((kind) => {
        const isServiceAccount = kind === 'account';
        return (
          <label key={kind} className={styles['kind']}>
            <input
              type="radio"
              name="kind"
              checked={form.isServiceAccount === isServiceAccount}
              onChange={() => onChange({ ...form, isServiceAccount })}
            />
            <span>
              {texts.kinds[kind]}
              <span className={look.small}>{texts.kindsWhy[kind]}</span>
            </span>
          </label>
        );
      })}
      <p className={look.small}>{texts.noTokenNeeded}</p>
    </fieldset>
  );
}

/** In the order in which they are shown. */
const scopes: readonly ApiScope[] = [
  'activity_logs:read',
  'admin_logs:read',
  'notes:read',
  'notes:write',
  'cosignatures:write',
];

function ScopeFields({ form, onChange }: TokenFieldsProps) {
  const texts = useAccessTexts();
  return (
    <>
      <fieldset className={look.choices}>
        <legend>{texts.columns.may}</legend>
        {scopes.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={form.scopes.includes(scope)}
              onChange={({ target }) =>
                onChange({
                  ...form,
                  scopes: target.checked ? [...form.scopes, scope] : form.scopes.filter((each) => each !== scope),
                })
              }
            />{' '}
            {texts.scopes[scope]}
          </label>
        ))}
      </fieldset>
      <label>
        {texts.addresses}
        <input
          className={look.input}
          placeholder="10.0.0.0/8"
          autoComplete="off"
          value={form.addresses}
          onChange={({ target }) => onChange({ ...form, addresses: target.value })}
        />
      </label>
    </>
  );
}

function SecretDialog({ token, onClose }: { readonly token: ApiTokenWithSecret; readonly onClose: () => void }) {
  const { close } = useMessages();
  const texts = useAccessTexts();
  const { name, token: secret, expiresAt } = token;
  if (secret === undefined) {
    return (
      <Dialog title={texts.made(name)} onClose={onClose}>
        <Notice kind="warning" title={texts.secretGone}>
          <p>{texts.secretGoneNext}</p>
        </Notice>
        <Buttons>
          <Button onClick={onClose}>{close}</Button>
        </Buttons>
      </Dialog>
    );
  }
  return (
    <OnceDialog
      title={texts.made(name)}
      warning={texts.secretOnce}
      until={expiresAt === null ? texts.neverEnds : texts.endsAt(timeText(expiresAt))}
      text={secret}
      copyLabel={texts.copySecret}
      onClose={onClose}
    />
  );
}

interface TokenDialogProps extends DialogProps {
  readonly token: ApiToken;
}

/** Gives a token a new secret, which is shown in this dialog. */
export function RotateTokenDialog({ project, token, onClose }: TokenDialogProps) {
  const texts = useAccessTexts();
  const client = useQueryClient();
  const rotating = useMutation({
    gcTime: 0,
    mutationFn: () => rotateApiToken(project, token.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['API tokens'] }),
  });
  if (rotating.data) return <SecretDialog token={rotating.data} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={texts.rotateOf(token.name)}
      why={texts.rotateWhy}
      label={texts.rotate}
      running={rotating}
      onClose={onClose}
    />
  );
}

export function RevokeTokenDialog({ project, token, onClose }: TokenDialogProps) {
  const texts = useAccessTexts();
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => revokeApiToken(project, token.id),
    onSuccess: () => {
      toast(texts.revoked(token.name));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['API tokens'] }),
  });
  return (
    <ConfirmDialog
      title={texts.revokeOf(token.name)}
      why={texts.revokeWhy}
      label={texts.revoke}
      running={revoking}
      onClose={onClose}
    />
  );
}
