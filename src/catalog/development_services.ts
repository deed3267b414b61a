import type { CatalogEntry } from "./catalog_entry.ts";

/** Code, packages, hosting and monitoring, by id. */
export const DEVELOPMENT_SERVICES: readonly CatalogEntry[] = [
  {
    id: "bitbucket",
    title: "Bitbucket",
    services: [{
      name: "bitbucket",
      host: "api.bitbucket.org",
      auth: { type: "basic", username: "ATLASSIAN_EMAIL", password: "BITBUCKET_API_TOKEN" },
    }],
    environment: [{ key: "ATLASSIAN_EMAIL", names: ["ATLASSIAN_EMAIL", "BITBUCKET_EMAIL"] }, {
      key: "BITBUCKET_API_TOKEN",
      names: ["BITBUCKET_API_TOKEN"],
    }],
    obtain: {
      url: "https://id.atlassian.com/manage-profile/security/api-tokens",
      text: "Create an API token with scopes for Bitbucket.",
    },
  },
  {
    id: "cloudflare",
    title: "Cloudflare",
    services: [{
      name: "cloudflare",
      host: "api.cloudflare.com",
      auth: { type: "bearer", token: "CLOUDFLARE_API_TOKEN" },
    }],
    environment: [{ key: "CLOUDFLARE_API_TOKEN", names: ["CLOUDFLARE_API_TOKEN", "CF_API_TOKEN"] }],
    obtain: {
      url: "https://dash.cloudflare.com/profile/api-tokens",
      text: "Create a token from a template or with permissions of your own.",
    },
  },
  {
    id: "datadog",
    title: "Datadog",
    services: [{
      name: "datadog",
      host: "api.{site}",
      auth: {
        type: "custom",
        headers: { "DD-API-KEY": "{{ DD_API_KEY }}", "DD-APPLICATION-KEY": "{{ DD_APP_KEY }}" },
      },
    }],
    environment: [{ key: "DD_API_KEY", names: ["DD_API_KEY", "DATADOG_API_KEY"] }, {
      key: "DD_APP_KEY",
      names: ["DD_APP_KEY", "DATADOG_APP_KEY"],
    }],
    obtain: {
      url: "https://docs.datadoghq.com/account_management/api-app-keys/",
      text: "Create an API key and an application key.",
    },
    parameters: [{ name: "site", summary: "the account's site", example: "datadoghq.com" }],
  },
  {
    id: "digitalocean",
    title: "DigitalOcean",
    services: [{
      name: "digitalocean",
      host: "api.digitalocean.com",
      auth: { type: "bearer", token: "DIGITALOCEAN_ACCESS_TOKEN" },
    }],
    environment: [{
      key: "DIGITALOCEAN_ACCESS_TOKEN",
      names: ["DIGITALOCEAN_ACCESS_TOKEN", "DIGITALOCEAN_TOKEN"],
      prefix: "dop_v1_",
    }],
    obtain: {
      url: "https://cloud.digitalocean.com/account/api/tokens",
      text: "Create a personal access token.",
    },
  },
  {
    id: "fly",
    title: "Fly.io Machines",
    services: [{
      name: "fly",
      host: "api.machines.dev",
      auth: { type: "bearer", token: "FLY_API_TOKEN" },
    }],
    environment: [{ key: "FLY_API_TOKEN", names: ["FLY_API_TOKEN"] }],
    obtain: {
      url: "https://fly.io/user/personal_access_tokens",
      text: "Create an access token in the dashboard.",
    },
  },
  {
    id: "github",
    title: "GitHub, API and git over HTTPS",
    services: [{
      name: "github",
      host: "api.github.com",
      auth: { type: "bearer", token: "GITHUB_TOKEN" },
    }, {
      name: "github-git",
      host: "github.com",
      auth: { type: "basic", username: "GITHUB_GIT_USER", password: "GITHUB_TOKEN" },
    }],
    environment: [{
      key: "GITHUB_TOKEN",
      names: ["GITHUB_TOKEN", "GH_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN"],
      prefix: "ghp_",
    }],
    obtain: {
      url: "https://github.com/settings/personal-access-tokens",
      text: "Create a fine-grained token for the repositories that are needed.",
    },
    constants: { GITHUB_GIT_USER: "x-access-token" },
  },
  {
    id: "gitlab",
    title: "GitLab",
    services: [{
      name: "gitlab",
      host: "gitlab.com/api/*",
      auth: { type: "api-key", key: "GITLAB_TOKEN", header: "PRIVATE-TOKEN" },
    }],
    environment: [{
      key: "GITLAB_TOKEN",
      names: ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"],
      prefix: "glpat-",
    }],
    obtain: {
      url: "https://gitlab.com/-/user_settings/personal_access_tokens",
      text: "Create a personal access token.",
    },
  },
  {
    id: "netlify",
    title: "Netlify",
    services: [{
      name: "netlify",
      host: "api.netlify.com",
      auth: { type: "bearer", token: "NETLIFY_AUTH_TOKEN" },
    }],
    environment: [{ key: "NETLIFY_AUTH_TOKEN", names: ["NETLIFY_AUTH_TOKEN"], prefix: "nfp_" }],
    obtain: {
      url: "https://app.netlify.com/user/applications",
      text: "Create a personal access token.",
    },
  },
  {
    id: "pagerduty",
    title: "PagerDuty",
    services: [{
      name: "pagerduty",
      host: "api.pagerduty.com",
      auth: { type: "api-key", key: "PAGERDUTY_API_KEY", prefix: "Token token=" },
    }],
    environment: [{ key: "PAGERDUTY_API_KEY", names: ["PAGERDUTY_API_KEY", "PAGERDUTY_TOKEN"] }],
    obtain: {
      url: "https://support.pagerduty.com/main/docs/api-access-keys",
      text: "Create a REST API key.",
    },
  },
  {
    id: "posthog",
    title: "PostHog",
    services: [{
      name: "posthog",
      host: "{region}.posthog.com",
      auth: { type: "bearer", token: "POSTHOG_PERSONAL_API_KEY" },
    }],
    environment: [{
      key: "POSTHOG_PERSONAL_API_KEY",
      names: ["POSTHOG_PERSONAL_API_KEY"],
      prefix: "phx_",
    }],
    obtain: { url: "https://posthog.com/docs/api", text: "Create a personal API key." },
    parameters: [{ name: "region", summary: "where the project is hosted", example: "us" }],
  },
  {
    id: "render",
    title: "Render",
    services: [{
      name: "render",
      host: "api.render.com",
      auth: { type: "bearer", token: "RENDER_API_KEY" },
    }],
    environment: [{ key: "RENDER_API_KEY", names: ["RENDER_API_KEY"], prefix: "rnd_" }],
    obtain: { url: "https://render.com/docs/api", text: "Create a key in the account's settings." },
  },
  {
    id: "sentry",
    title: "Sentry",
    services: [{
      name: "sentry",
      host: "sentry.io/api/*",
      auth: { type: "bearer", token: "SENTRY_AUTH_TOKEN" },
    }],
    environment: [{ key: "SENTRY_AUTH_TOKEN", names: ["SENTRY_AUTH_TOKEN"] }],
    obtain: {
      url: "https://sentry.io/settings/account/api/auth-tokens/",
      text: "Create a token with the scopes that are needed.",
    },
  },
  {
    id: "supabase",
    title: "Supabase management",
    services: [{
      name: "supabase",
      host: "api.supabase.com",
      auth: { type: "bearer", token: "SUPABASE_ACCESS_TOKEN" },
    }],
    environment: [{
      key: "SUPABASE_ACCESS_TOKEN",
      names: ["SUPABASE_ACCESS_TOKEN"],
      prefix: "sbp_",
    }],
    obtain: {
      url: "https://supabase.com/dashboard/account/tokens",
      text: "Create a personal access token.",
    },
  },
  {
    id: "vercel",
    title: "Vercel",
    services: [{
      name: "vercel",
      host: "api.vercel.com",
      auth: { type: "bearer", token: "VERCEL_TOKEN" },
    }],
    environment: [{ key: "VERCEL_TOKEN", names: ["VERCEL_TOKEN"] }],
    obtain: { url: "https://vercel.com/account/tokens", text: "Create a token in the account." },
  },
];
