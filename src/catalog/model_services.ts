import type { CatalogEntry } from "./catalog_entry.ts";

/** Models, speech, search and maps, by id. */
export const MODEL_SERVICES: readonly CatalogEntry[] = [
  {
    id: "anthropic",
    title: "Anthropic",
    services: [{
      name: "anthropic",
      host: "api.anthropic.com",
      auth: { type: "api-key", key: "ANTHROPIC_API_KEY", header: "x-api-key" },
    }],
    environment: [{ key: "ANTHROPIC_API_KEY", names: ["ANTHROPIC_API_KEY"], prefix: "sk-ant-" }],
    obtain: {
      url: "https://console.anthropic.com/settings/keys",
      text: "Create a key in the console.",
    },
  },
  {
    id: "brave-search",
    title: "Brave Search",
    services: [{
      name: "brave-search",
      host: "api.search.brave.com",
      auth: { type: "api-key", key: "BRAVE_API_KEY", header: "X-Subscription-Token" },
    }],
    environment: [{ key: "BRAVE_API_KEY", names: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"] }],
    obtain: {
      url: "https://api-dashboard.search.brave.com/",
      text: "Subscribe to a plan and create a key.",
    },
  },
  {
    id: "cohere",
    title: "Cohere",
    services: [{
      name: "cohere",
      host: "api.cohere.com",
      auth: { type: "bearer", token: "CO_API_KEY" },
    }],
    environment: [{ key: "CO_API_KEY", names: ["CO_API_KEY", "COHERE_API_KEY"] }],
    obtain: {
      url: "https://dashboard.cohere.com/api-keys",
      text: "Create a key in the dashboard.",
    },
  },
  {
    id: "deepgram",
    title: "Deepgram",
    services: [{
      name: "deepgram",
      host: "api.deepgram.com",
      auth: { type: "api-key", key: "DEEPGRAM_API_KEY", prefix: "Token " },
    }],
    environment: [{ key: "DEEPGRAM_API_KEY", names: ["DEEPGRAM_API_KEY"] }],
    obtain: {
      url: "https://console.deepgram.com/",
      text: "Create a key in the project's settings.",
    },
  },
  {
    id: "deepseek",
    title: "DeepSeek",
    services: [{
      name: "deepseek",
      host: "api.deepseek.com",
      auth: { type: "bearer", token: "DEEPSEEK_API_KEY" },
    }],
    environment: [{ key: "DEEPSEEK_API_KEY", names: ["DEEPSEEK_API_KEY"], prefix: "sk-" }],
    obtain: {
      url: "https://platform.deepseek.com/api_keys",
      text: "Create a key on the platform.",
    },
  },
  {
    id: "elevenlabs",
    title: "ElevenLabs",
    services: [{
      name: "elevenlabs",
      host: "api.elevenlabs.io",
      auth: { type: "api-key", key: "ELEVENLABS_API_KEY", header: "xi-api-key" },
    }],
    environment: [{ key: "ELEVENLABS_API_KEY", names: ["ELEVENLABS_API_KEY", "ELEVEN_API_KEY"] }],
    obtain: {
      url: "https://elevenlabs.io/app/settings/api-keys",
      text: "Create a key in the settings.",
    },
  },
  {
    id: "exa",
    title: "Exa",
    services: [{
      name: "exa",
      host: "api.exa.ai",
      auth: { type: "api-key", key: "EXA_API_KEY", header: "x-api-key" },
    }],
    environment: [{ key: "EXA_API_KEY", names: ["EXA_API_KEY"] }],
    obtain: { url: "https://dashboard.exa.ai/api-keys", text: "Create a key in the dashboard." },
  },
  {
    id: "firecrawl",
    title: "Firecrawl",
    services: [{
      name: "firecrawl",
      host: "api.firecrawl.dev",
      auth: { type: "bearer", token: "FIRECRAWL_API_KEY" },
    }],
    environment: [{ key: "FIRECRAWL_API_KEY", names: ["FIRECRAWL_API_KEY"], prefix: "fc-" }],
    obtain: {
      url: "https://www.firecrawl.dev/app/api-keys",
      text: "Create a key in the dashboard.",
    },
  },
  {
    id: "gemini",
    title: "Google Gemini",
    services: [{
      name: "gemini",
      host: "generativelanguage.googleapis.com",
      auth: { type: "api-key", key: "GEMINI_API_KEY", header: "x-goog-api-key" },
    }],
    environment: [{
      key: "GEMINI_API_KEY",
      names: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
      prefix: "AIza",
    }],
    obtain: { url: "https://aistudio.google.com/apikey", text: "Create a key in AI Studio." },
  },
  {
    id: "google-maps",
    title: "Google Maps",
    services: [{
      name: "google-maps",
      host: "maps.googleapis.com",
      auth: { type: "passthrough" },
      substitutions: [{
        key: "GOOGLE_MAPS_API_KEY",
        placeholder: "AIza__google_maps_api_key__",
        in: ["query"],
      }],
    }],
    environment: [{ key: "GOOGLE_MAPS_API_KEY", names: ["GOOGLE_MAPS_API_KEY"] }],
    obtain: {
      url: "https://console.cloud.google.com/google/maps-apis/credentials",
      text: "Create a key in the cloud console.",
    },
  },
  {
    id: "groq",
    title: "Groq",
    services: [{
      name: "groq",
      host: "api.groq.com",
      auth: { type: "bearer", token: "GROQ_API_KEY" },
    }],
    environment: [{ key: "GROQ_API_KEY", names: ["GROQ_API_KEY"], prefix: "gsk_" }],
    obtain: { url: "https://console.groq.com/keys", text: "Create a key in the console." },
  },
  {
    id: "hugging-face",
    title: "Hugging Face",
    services: [{
      name: "hugging-face",
      host: "huggingface.co",
      auth: { type: "bearer", token: "HF_TOKEN" },
    }, {
      name: "hugging-face-router",
      host: "router.huggingface.co",
      auth: { type: "bearer", token: "HF_TOKEN" },
    }],
    environment: [{
      key: "HF_TOKEN",
      names: ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACEHUB_API_TOKEN"],
      prefix: "hf_",
    }],
    obtain: {
      url: "https://huggingface.co/settings/tokens",
      text: "Create an access token with the scopes that are needed.",
    },
  },
  {
    id: "mistral",
    title: "Mistral",
    services: [{
      name: "mistral",
      host: "api.mistral.ai",
      auth: { type: "bearer", token: "MISTRAL_API_KEY" },
    }],
    environment: [{ key: "MISTRAL_API_KEY", names: ["MISTRAL_API_KEY"] }],
    obtain: { url: "https://console.mistral.ai/api-keys", text: "Create a key in the console." },
  },
  {
    id: "openai",
    title: "OpenAI",
    services: [{
      name: "openai",
      host: "api.openai.com",
      auth: { type: "bearer", token: "OPENAI_API_KEY" },
    }],
    environment: [{ key: "OPENAI_API_KEY", names: ["OPENAI_API_KEY"], prefix: "sk-" }],
    obtain: { url: "https://platform.openai.com/api-keys", text: "Create a key for a project." },
  },
  {
    id: "openrouter",
    title: "OpenRouter",
    services: [{
      name: "openrouter",
      host: "openrouter.ai/api/*",
      auth: { type: "bearer", token: "OPENROUTER_API_KEY" },
    }],
    environment: [{ key: "OPENROUTER_API_KEY", names: ["OPENROUTER_API_KEY"], prefix: "sk-or-" }],
    obtain: { url: "https://openrouter.ai/settings/keys", text: "Create a key in the settings." },
  },
  {
    id: "perplexity",
    title: "Perplexity",
    services: [{
      name: "perplexity",
      host: "api.perplexity.ai",
      auth: { type: "bearer", token: "PERPLEXITY_API_KEY" },
    }],
    environment: [{
      key: "PERPLEXITY_API_KEY",
      names: ["PERPLEXITY_API_KEY", "PPLX_API_KEY"],
      prefix: "pplx-",
    }],
    obtain: {
      url: "https://www.perplexity.ai/settings/api",
      text: "Create a key in the settings.",
    },
  },
  {
    id: "replicate",
    title: "Replicate",
    services: [{
      name: "replicate",
      host: "api.replicate.com",
      auth: { type: "bearer", token: "REPLICATE_API_TOKEN" },
    }],
    environment: [{ key: "REPLICATE_API_TOKEN", names: ["REPLICATE_API_TOKEN"], prefix: "r8_" }],
    obtain: {
      url: "https://replicate.com/account/api-tokens",
      text: "Create a token in the account.",
    },
  },
  {
    id: "serpapi",
    title: "SerpApi",
    services: [{
      name: "serpapi",
      host: "serpapi.com",
      auth: { type: "passthrough" },
      substitutions: [{
        key: "SERPAPI_API_KEY",
        placeholder: "__serpapi_api_key__",
        in: ["query"],
      }],
    }],
    environment: [{ key: "SERPAPI_API_KEY", names: ["SERPAPI_API_KEY", "SERPAPI_KEY"] }],
    obtain: { url: "https://serpapi.com/manage-api-key", text: "Copy the account's key." },
  },
  {
    id: "tavily",
    title: "Tavily",
    services: [{
      name: "tavily",
      host: "api.tavily.com",
      auth: { type: "bearer", token: "TAVILY_API_KEY" },
    }],
    environment: [{ key: "TAVILY_API_KEY", names: ["TAVILY_API_KEY"], prefix: "tvly-" }],
    obtain: { url: "https://app.tavily.com/", text: "Create a key in the dashboard." },
  },
  {
    id: "together",
    title: "Together AI",
    services: [{
      name: "together",
      host: "api.together.xyz",
      auth: { type: "bearer", token: "TOGETHER_API_KEY" },
    }],
    environment: [{ key: "TOGETHER_API_KEY", names: ["TOGETHER_API_KEY"] }],
    obtain: {
      url: "https://api.together.ai/settings/api-keys",
      text: "Create a key in the settings.",
    },
  },
  {
    id: "xai",
    title: "xAI",
    services: [{ name: "xai", host: "api.x.ai", auth: { type: "bearer", token: "XAI_API_KEY" } }],
    environment: [{ key: "XAI_API_KEY", names: ["XAI_API_KEY"], prefix: "xai-" }],
    obtain: { url: "https://console.x.ai/", text: "Create a key in the console." },
  },
];
