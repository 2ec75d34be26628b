// Signing in: asks for a key and says where to find one.

import { useState } from 'preact/hooks';
import { signIn } from './lib/session.ts';
import { Command } from './ui/command.tsx';
import { Mark } from './ui/mark.tsx';

export function SignIn({ why }: { why: string | null }) {
  const [key, setKey] = useState('');
  const [error, setError] = useState(why);
  const [isAsking, setAsking] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setAsking(true);
    setError(await signIn(key.trim()));
    setAsking(false);
  };
  return (
    <main class="door">
      <form class="panel door-panel" onSubmit={(event) => void submit(event)}>
        <h1>
          <Mark size={28} /> Sluice
        </h1>
        <p class="dim">
          Sign in with a key. The admin key is in the file <code>admin-key</code> of the gateway’s
          data folder. Or type <Command words="login-link" /> where the gateway was started: it
          prints a link that signs you in.
        </p>
        <input type="text" name="username" autoComplete="username" value="key" hidden readOnly />
        <label class="field">
          <span>Key</span>
          <input
            type="password"
            name="key"
            autoComplete="current-password"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <p class="door-error" role="alert">
          {error}
        </p>
        <button type="submit" class="primary" disabled={isAsking || key.trim() === ''}>
          {isAsking ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
