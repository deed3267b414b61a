import type { CatalogEntry } from "./catalog_entry.ts";

/** Messages, documents, customers and payments, by id. */
export const WORK_SERVICES: readonly CatalogEntry[] = [
  {
    id: "airtable",
    title: "Airtable",
    services: [{
      name: "airtable",
      host: "api.airtable.com",
      auth: { type: "bearer", token: "AIRTABLE_API_KEY" },
    }],
    environment: [{
      key: "AIRTABLE_API_KEY",
      names: ["AIRTABLE_API_KEY", "AIRTABLE_PAT"],
      prefix: "pat",
    }],
    obtain: { url: "https://airtable.com/create/tokens", text: "Create a personal access token." },
  },
  {
    id: "discord",
    title: "Discord bot",
    services: [{
      name: "discord",
      host: "discord.com/api/*",
      auth: { type: "api-key", key: "DISCORD_TOKEN", prefix: "Bot " },
    }],
    environment: [{ key: "DISCORD_TOKEN", names: ["DISCORD_TOKEN", "DISCORD_BOT_TOKEN"] }],
    obtain: {
      url: "https://discord.com/developers/applications",
      text: "Create an application and copy its bot token.",
    },
  },
  {
    id: "figma",
    title: "Figma",
    services: [{
      name: "figma",
      host: "api.figma.com",
      auth: { type: "api-key", key: "FIGMA_TOKEN", header: "X-Figma-Token" },
    }],
    environment: [{
      key: "FIGMA_TOKEN",
      names: ["FIGMA_TOKEN", "FIGMA_API_KEY", "FIGMA_ACCESS_TOKEN"],
      prefix: "figd_",
    }],
    obtain: {
      url: "https://developers.figma.com/docs/rest-api/authentication/",
      text: "Create a personal access token.",
    },
  },
  {
    id: "hubspot",
    title: "HubSpot",
    services: [{
      name: "hubspot",
      host: "api.hubapi.com",
      auth: { type: "bearer", token: "HUBSPOT_ACCESS_TOKEN" },
    }],
    environment: [{
      key: "HUBSPOT_ACCESS_TOKEN",
      names: ["HUBSPOT_ACCESS_TOKEN", "PRIVATE_APP_ACCESS_TOKEN"],
      prefix: "pat-",
    }],
    obtain: {
      url: "https://developers.hubspot.com/docs",
      text: "Create a private app and copy its access token.",
    },
  },
  {
    id: "intercom",
    title: "Intercom",
    services: [{
      name: "intercom",
      host: "api.intercom.io",
      auth: { type: "bearer", token: "INTERCOM_ACCESS_TOKEN" },
    }],
    environment: [{ key: "INTERCOM_ACCESS_TOKEN", names: ["INTERCOM_ACCESS_TOKEN"] }],
    obtain: {
      url: "https://developers.intercom.com/docs/build-an-integration/learn-more/authentication",
      text: "Create an app and copy its access token.",
    },
  },
  {
    id: "jira",
    title: "Jira and Confluence",
    services: [{
      name: "jira",
      host: "{site}.atlassian.net",
      auth: { type: "basic", username: "ATLASSIAN_EMAIL", password: "ATLASSIAN_API_TOKEN" },
    }],
    environment: [{
      key: "ATLASSIAN_EMAIL",
      names: ["ATLASSIAN_EMAIL", "JIRA_USERNAME", "CONFLUENCE_USERNAME"],
    }, {
      key: "ATLASSIAN_API_TOKEN",
      names: ["ATLASSIAN_API_TOKEN", "JIRA_API_TOKEN", "CONFLUENCE_API_TOKEN"],
    }],
    obtain: {
      url: "https://id.atlassian.com/manage-profile/security/api-tokens",
      text: "Create an API token for the account.",
    },
    parameters: [{
      name: "site",
      summary: "what stands before .atlassian.net",
      example: "example",
    }],
  },
  {
    id: "linear",
    title: "Linear",
    services: [{
      name: "linear",
      host: "api.linear.app",
      auth: { type: "api-key", key: "LINEAR_API_KEY" },
    }],
    environment: [{ key: "LINEAR_API_KEY", names: ["LINEAR_API_KEY"], prefix: "lin_api_" }],
    obtain: {
      url: "https://linear.app/settings/account/security",
      text: "Create a personal API key.",
    },
  },
  {
    id: "mailgun",
    title: "Mailgun",
    services: [{
      name: "mailgun",
      host: "api.mailgun.net",
      auth: { type: "basic", username: "MAILGUN_USERNAME", password: "MAILGUN_API_KEY" },
    }],
    environment: [{ key: "MAILGUN_API_KEY", names: ["MAILGUN_API_KEY"] }],
    obtain: { url: "https://app.mailgun.com/settings/api_security", text: "Create an API key." },
    constants: { MAILGUN_USERNAME: "api" },
  },
  {
    id: "notion",
    title: "Notion",
    services: [{
      name: "notion",
      host: "api.notion.com",
      auth: { type: "bearer", token: "NOTION_TOKEN" },
    }],
    environment: [{
      key: "NOTION_TOKEN",
      names: ["NOTION_TOKEN", "NOTION_API_KEY"],
      prefix: "ntn_",
    }],
    obtain: {
      url: "https://www.notion.so/my-integrations",
      text: "Create an integration and share pages with it.",
    },
  },
  {
    id: "postmark",
    title: "Postmark",
    services: [{
      name: "postmark",
      host: "api.postmarkapp.com",
      auth: { type: "api-key", key: "POSTMARK_SERVER_TOKEN", header: "X-Postmark-Server-Token" },
    }],
    environment: [{
      key: "POSTMARK_SERVER_TOKEN",
      names: ["POSTMARK_SERVER_TOKEN", "POSTMARK_API_TOKEN"],
    }],
    obtain: { url: "https://account.postmarkapp.com/servers", text: "Copy the token of a server." },
  },
  {
    id: "resend",
    title: "Resend",
    services: [{
      name: "resend",
      host: "api.resend.com",
      auth: { type: "bearer", token: "RESEND_API_KEY" },
    }],
    environment: [{ key: "RESEND_API_KEY", names: ["RESEND_API_KEY"], prefix: "re_" }],
    obtain: { url: "https://resend.com/api-keys", text: "Create a key." },
  },
  {
    id: "sendgrid",
    title: "SendGrid",
    services: [{
      name: "sendgrid",
      host: "api.sendgrid.com",
      auth: { type: "bearer", token: "SENDGRID_API_KEY" },
    }],
    environment: [{ key: "SENDGRID_API_KEY", names: ["SENDGRID_API_KEY"], prefix: "SG." }],
    obtain: {
      url: "https://app.sendgrid.com/settings/api_keys",
      text: "Create a key with restricted access.",
    },
  },
  {
    id: "shopify",
    title: "Shopify admin",
    services: [{
      name: "shopify",
      host: "{shop}.myshopify.com/admin/*",
      auth: { type: "api-key", key: "SHOPIFY_ACCESS_TOKEN", header: "X-Shopify-Access-Token" },
    }],
    environment: [{
      key: "SHOPIFY_ACCESS_TOKEN",
      names: ["SHOPIFY_ACCESS_TOKEN"],
      prefix: "shpat_",
    }],
    obtain: {
      url: "https://shopify.dev/docs/apps/build/authentication-authorization",
      text: "Create an app for the shop and copy its Admin API access token.",
    },
    parameters: [{
      name: "shop",
      summary: "what stands before .myshopify.com",
      example: "example",
    }],
  },
  {
    id: "slack",
    title: "Slack bot",
    services: [{
      name: "slack",
      host: "slack.com/api/*",
      auth: { type: "bearer", token: "SLACK_BOT_TOKEN" },
    }],
    environment: [{
      key: "SLACK_BOT_TOKEN",
      names: ["SLACK_BOT_TOKEN", "SLACK_TOKEN"],
      prefix: "xoxb-",
    }],
    obtain: {
      url: "https://api.slack.com/apps",
      text: "Create an app, install it and copy its bot token.",
    },
  },
  {
    id: "stripe",
    title: "Stripe",
    services: [{
      name: "stripe",
      host: "api.stripe.com",
      auth: { type: "bearer", token: "STRIPE_SECRET_KEY" },
    }],
    environment: [{
      key: "STRIPE_SECRET_KEY",
      names: ["STRIPE_SECRET_KEY", "STRIPE_API_KEY"],
      prefix: "sk_test_",
    }],
    obtain: { url: "https://dashboard.stripe.com/apikeys", text: "Create a restricted key." },
  },
  {
    id: "telegram",
    title: "Telegram bot",
    services: [{
      name: "telegram",
      host: "api.telegram.org",
      auth: { type: "passthrough" },
      substitutions: [{
        key: "TELEGRAM_BOT_TOKEN",
        placeholder: "__telegram_bot_token__",
        in: ["path"],
      }],
    }],
    environment: [{ key: "TELEGRAM_BOT_TOKEN", names: ["TELEGRAM_BOT_TOKEN", "TELEGRAM_TOKEN"] }],
    obtain: { url: "https://t.me/BotFather", text: "Ask BotFather for a new bot." },
  },
  {
    id: "twilio",
    title: "Twilio",
    services: [{
      name: "twilio",
      host: "api.twilio.com",
      auth: { type: "basic", username: "TWILIO_ACCOUNT_SID", password: "TWILIO_AUTH_TOKEN" },
      // The account stands in every path, and SDKs want it to begin with AC.
      substitutions: [{
        key: "TWILIO_ACCOUNT_SID",
        placeholder: "AC__twilio_account_sid__",
        in: ["path"],
      }],
    }],
    environment: [{ key: "TWILIO_ACCOUNT_SID", names: ["TWILIO_ACCOUNT_SID"] }, {
      key: "TWILIO_AUTH_TOKEN",
      names: ["TWILIO_AUTH_TOKEN"],
    }],
    obtain: {
      url: "https://console.twilio.com/",
      text: "Copy the account SID and the auth token.",
    },
  },
  {
    id: "zendesk",
    title: "Zendesk",
    services: [{
      name: "zendesk",
      host: "{subdomain}.zendesk.com/api/*",
      auth: { type: "basic", username: "ZENDESK_USERNAME", password: "ZENDESK_API_TOKEN" },
    }],
    environment: [{ key: "ZENDESK_USERNAME", names: ["ZENDESK_USERNAME", "ZENDESK_EMAIL"] }, {
      key: "ZENDESK_API_TOKEN",
      names: ["ZENDESK_API_TOKEN", "ZENDESK_TOKEN"],
    }],
    obtain: {
      url: "https://support.zendesk.com/hc/en-us/articles/4408889192858",
      text: "Create an API token; the user name is EMAIL/token.",
    },
    parameters: [{
      name: "subdomain",
      summary: "what stands before .zendesk.com",
      example: "example",
    }],
  },
];
