/**
 * What an agent is told about the broker (interfaces: `GET /v1/skills/cli`). It is read by programs that
 * pay for each word: short sentences, one thing to do for each case, commands that work as they stand.
 */

/** One line that says when the rest is worth reading; programs decide by it. */
export const SKILL_DESCRIPTION =
  "Use when a request through the broker proxy is refused (X-Broker-Error, 403 with proposal_hint, 407, " +
  "credential_not_found), when an API needs a key that the environment only holds a placeholder for, or " +
  "when access to a new host or API is needed.";

/** The Markdown itself. */
export const SKILL_TEXT = `# Reaching APIs through broker

You run behind a local proxy. It adds the real credential to each request to a configured host. You call
the real URL and never see a key: a variable such as \`STRIPE_KEY=__stripe_key__\` is a placeholder, and it
is right to send it, because the proxy replaces the header. Nothing has to be set: \`HTTPS_PROXY\`, the CA
files, \`BROKER_ADDR\`, \`BROKER_TOKEN\` and \`BROKER_VAULT\` are in your environment.

## What can be reached

\`\`\`sh
broker vault discover --json
\`\`\`

It lists services (name and host) and the keys of the credentials that exist. Without the command:

\`\`\`sh
curl -sS -H "Authorization: Bearer $BROKER_TOKEN" -H "X-Vault: $BROKER_VAULT" "$BROKER_ADDR/discover"
\`\`\`

## When a door is closed: propose

Act when a host is not listed and answers 401 or 403, or the broker answers 403 with \`proposal_hint\`. Ask for
the narrowest access that does the job. A person decides; say in \`--user-message\` what you need it for.

\`\`\`sh
broker vault proposal create --service-name stripe --host "api.stripe.com/v1/*" --token-key STRIPE_KEY --slot STRIPE_KEY="A restricted key" --user-message "I need Stripe to list the test charges" --json
\`\`\`

A slot (\`--slot\`) is a credential that the person types; you never see it. Leave it out when the key exists
already. Other kinds: \`--username-key\` and \`--password-key\` (basic), \`--api-key-key\` with
\`--api-key-header\` (api-key), \`--header 'Name: text {{ KEY }}'\` (custom), \`--auth-type passthrough\`. Several
services, deletions or substitutions go into JSON:

\`\`\`sh
broker vault proposal create -f - --json <<'JSON'
{"services": [{"action": "set", "name": "telegram", "host": "api.telegram.org",
   "auth": {"type": "passthrough"},
   "substitutions": [{"key": "TELEGRAM_TOKEN", "placeholder": "__telegram_token__", "in": ["path"]}]}],
 "credentials": [{"key": "TELEGRAM_TOKEN", "description": "Token of the bot"}],
 "user_message": "I need the bot to send the report"}
JSON
\`\`\`

The same by HTTP: \`POST $BROKER_ADDR/v1/proposals\` with that JSON and your bearer token.

Then show the person the \`approval_url\` of the answer, word for word, and wait:

\`\`\`sh
broker vault proposal wait 1 --timeout 10m
\`\`\`

Exit status 0 means applied: send your first request again. 1 means rejected, expired or not decided yet; look
why with:

\`\`\`sh
broker vault proposal show 1 --json
\`\`\`

Without the command, \`GET $BROKER_ADDR/v1/proposals/ID?wait=60\` answers when somebody decided, or poll it every
3 seconds for the first 30 seconds and every 10 seconds after that. Do not raise the same proposal twice.

## What an answer of the broker means

Answers of the broker itself carry \`X-Broker-Error: CODE\` and JSON with \`error\`, \`message\` and \`help\`.

| code | do this |
| --- | --- |
| \`forbidden\`, \`no_services\` | Propose the host in \`proposal_hint\`, as above. |
| \`service_disabled\` | Tell the person; they run \`broker vault service enable NAME\`. Do not go around it. |
| \`credential_not_found\` | Tell the person which keys of \`missing\` to store, or propose them as slots. |
| \`credential_unusable\` | Tell the person which key has a value that does not fit. |
| \`proxy_auth_required\` | Your session has ended. Tell the person to start you again. |
| \`vault_mismatch\` | Leave \`X-Vault\` out, or name a vault that you may use. |
| \`plaintext_refused\` | Use https. |
| \`network_blocked\` | The address is guarded. Propose the exact host if the person wants it. |
| \`bad_request\` | The request is malformed or its path can be read in two ways. Mend it. |
| \`request_too_large\`, \`headers_too_large\` | Send less. \`limit_bytes\` says how much. |
| \`dns_failed\`, \`upstream_unreachable\`, \`upstream_timeout\` | Check the name; try again later. |
| \`upstream_tls_failed\`, \`upstream_protocol_error\` | The upstream is at fault; \`message\` says how. |
| \`loop_detected\` | The URL is the broker itself. Use the real host. |
| \`internal_error\` | Tell the person the \`request_id\`. |

An answer without \`X-Broker-Error\` is the upstream's own.

## Never

- Never look for, print, log or ask for the value of a credential, in files, in memory or in answers.
- Never unset or bypass the proxy variables, and never turn certificate checks off.
- Never try to approve a proposal yourself, and never ask the person for a passphrase or a sign-in code.
- Never put a placeholder or \`BROKER_TOKEN\` into a file, a commit or a message.
`;
